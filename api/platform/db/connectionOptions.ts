import type pg from 'pg'
import { SECOND } from '#shared/dates.ts'
import { DatabaseClient, type DatabaseClientConfig } from './DatabaseClient.ts'
import { requireSettings } from './requireSettings.ts'

/** A longer wait for a connection fails with a 503 instead of hanging. */
const CONNECTION_TIMEOUT = 10 * SECOND

interface ConnectionOptions {
  connectionString: string
  connectionTimeoutMillis: number
  answerTimeout?: number
  /** The class of a pool's connections. */
  Client: new () => pg.ClientBase
  /** Pools serve a connection only after this has succeeded with it. */
  onConnect: (connection: pg.ClientBase) => Promise<void>
}

/**
 * The options of the driver for every connection and pool of the product, so that all of them accept the same URLs and give up on a server
 * that is away.
 *
 * @param answerTimeout see `DatabaseClientConfig`.
 */
export const connectionOptions = (
  url: string,
  { answerTimeout }: Pick<DatabaseClientConfig, 'answerTimeout'> = {},
): ConnectionOptions => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECTION_TIMEOUT,
  // Pools pass their options to it, though the driver's types do not say so.
  Client: DatabaseClient as unknown as ConnectionOptions['Client'],
  onConnect: requireSettings,
  ...(answerTimeout !== undefined && { answerTimeout }),
})
