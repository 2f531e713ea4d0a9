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
  /** As they stand behind the name. */
  parameters: readonly string[]
  help: string
  /** Answers what to print. @throws {CommandRefused} */
  run(context: OperatorContext, args: readonly string[]): Promise<string>
}

/** The command cannot be done as it was asked for; nothing was changed. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
}

/** Who runs the command, as the audit log names him. */
export const operator = (): string => `operator:${os.userInfo().username}`
