import type { MikroORM } from '@mikro-orm/postgresql'
import os from 'node:os'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Environment } from '#api/platform/config.ts'
import type { Services } from '#api/platform/services.ts'

/** The services of commands that do more than change rows. */
export type CommandServices = Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>

/** Actions on the public register, which belongs to a later layer. */
export interface RegisterActions {
  resume(
    services: CommandServices,
    options: { endpoints: readonly RpcEndpoint[]; actor: string; knownSize: number | undefined },
  ): Promise<{ isResumed: boolean; text: string }>
  rotateKeys(services: CommandServices, options: { actor: string; oldSigningKey: Uint8Array | undefined }): Promise<string>
  addNote(services: CommandServices, options: { actor: string; text: string; wrongEntry: number | undefined }): Promise<string>
}

/** Archiving months, which belongs to a later layer. */
export interface ArchiveActions {
  archiveMonths(
    owner: MikroORM,
    options: {
      folder: string
      drop: boolean
      actor: string
      onProgress: (text: string, done?: number, total?: number) => void
    },
  ): Promise<string[]>
}

/** What a command works on. */
export interface OperatorContext {
  orm: MikroORM
  url: string
  env: Environment
  demo: boolean
  /** Names of the queues. Loads the whole product. */
  readJobNames: () => Promise<string[]>
  loadRegister: () => Promise<RegisterActions>
  loadArchive: () => Promise<ArchiveActions>
}

export interface OperatorCommand {
  /** The parameters after the command's name. */
  parameters: readonly string[]
  help: string
  /** Returns the text to print. @throws {CommandRefused} */
  run(context: OperatorContext, args: readonly string[]): Promise<string>
}

/** The command cannot be run as requested; nothing was changed. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
}

/** The actor in the audit log. */
export const operator = (): string => `operator:${os.userInfo().username}`
