import type { MikroORM } from '@mikro-orm/postgresql'
import os from 'node:os'
import type { Environment } from '#api/platform/config.ts'

/** What a command works on. */
export interface OperatorContext {
  orm: MikroORM
  url: string
  env: Environment
  demo: boolean
  /** Names of the queues. Loads the whole product. */
  readJobNames: () => Promise<string[]>
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
