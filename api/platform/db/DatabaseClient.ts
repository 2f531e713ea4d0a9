import { isIP } from 'node:net'
import pg, { type ClientConfig } from 'pg'
import { SECOND } from '#shared/dates.ts'
import { type DatabaseHost, readDatabaseUrl, type Target } from './databaseUrl.ts'

export interface DatabaseClientConfig extends ClientConfig {
  connectionString: string
  /** After this many milliseconds without an answer to a statement its connection is cut. No limit unless set. */
  answerTimeout?: number
}

/**
 * Nobody knows whether a statement or a commit took effect: its connection was lost before the answer, or the server stopped waiting for
 * its standby. The code is SQL's own for it. Requests are repeated with their idempotency key; leaders read the state again.
 */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown'
  readonly code = '40003'
}

/** The time in which one of several hosts must answer before another is chosen, in milliseconds. */
const PROBE_TIMEOUT = 3 * SECOND
/** The function of PostgreSQL that waits for a standby. Its name, unlike its warning, is the same in every language. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN'

/** The host that last was the one looked for, by the whole list. */
const lastFound = new Map<string, DatabaseHost>()

interface Running {
  isCommit: boolean
  /** The server stopped waiting for its standby, and answered as if it had confirmed. */
  isUnconfirmed: boolean
  timer: NodeJS.Timeout | undefined
}

/**
 * Limits are read after a lock. The level of a server, database or role, which may change while the process runs, is not used, not even
 * by a connection that a pooler opened later (money.md 43).
 */
const BEGIN = 'begin isolation level read committed'

type Callback = (error: unknown, result?: unknown) => void
type Send = (...parameters: unknown[]) => unknown

/**
 * A connection of the product. Beyond the driver's, it chooses among several hosts, gives up on a silent server, and knows when an
 * outcome is unknown.
 */
export class DatabaseClient extends pg.Client {
  readonly #config: DatabaseClientConfig
  readonly #hosts: readonly DatabaseHost[]
  readonly #target: Target
  readonly #answerTimeout: number | undefined
  /** In the order in which the server answers them. */
  readonly #running: Running[] = []

  constructor(config: DatabaseClientConfig) {
    const { hosts, target, connectionString } = readDatabaseUrl(config.connectionString)
    const single = { ...config, connectionString }
    super({ keepAlive: true, keepAliveInitialDelayMillis: 5 * SECOND, ...single })
    this.#config = single
    this.#hosts = hosts
    this.#target = target
    this.#answerTimeout = config.answerTimeout
    // Every statement of the pools and of the query builder goes through it.
    const send = this.query.bind(this) as Send
    this.query = ((...parameters: unknown[]) => this.#ask(send, parameters)) as pg.Client['query']
    // The statement in flight fails as well; without a listener the event would end the process.
    this.on('error', () => {})
    this.on('notice', ({ routine }) => {
      const [current] = this.#running
      if (current && routine === WAIT_FOR_STANDBY) current.isUnconfirmed = true
    })
  }

  override connect(): Promise<this>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    nameAddress(this)
    const connected = (this.#hosts.length === 1 ? super.connect() : this.#connectToOneOf()).catch(asRefusal)
    if (!callback) return connected.then(() => this)
    connected.then(() => callback(undefined as unknown as Error), callback)
  }

  /** Pools pass a callback, the query builder awaits a promise. */
  #ask(send: Send, given: unknown[]): unknown {
    const parameters = given[0] === 'begin' ? given.with(0, BEGIN) : given
    const [statement] = parameters
    if (isSubmittable(statement)) return send(...parameters)
    const running = this.#begin(statement)
    const callback = parameters.at(-1)
    if (typeof callback === 'function') {
      const answer = (error: unknown, result?: unknown) => {
        const failure = this.#end(running, error)
        if (failure === undefined) (callback as Callback)(undefined, result)
        else (callback as Callback)(failure)
      }
      return send(...parameters.slice(0, -1), answer)
    }
    return (send(...parameters) as Promise<unknown>).then(
      (result) => {
        const failure = this.#end(running, undefined)
        if (failure !== undefined) throw failure
        return result
      },
      (error: unknown) => {
        throw this.#end(running, error)
      },
    )
  }

  /** Breaks the connection without waiting for the server, which may never answer. */
  cut(reason: Error): void {
    this.connection.stream.destroy(reason)
  }

  #begin(statement: unknown): Running {
    const running: Running = { isCommit: isCommit(statement), isUnconfirmed: false, timer: undefined }
    if (this.#answerTimeout !== undefined)
      running.timer = setTimeout(
        () => this.cut(Object.assign(new Error('The database does not answer.'), { code: 'ETIMEDOUT' })),
        this.#answerTimeout,
      )
    this.#running.push(running)
    return running
  }

  /** @returns the error of the statement, if there is one. */
  #end(running: Running, error: unknown): unknown {
    clearTimeout(running.timer)
    this.#running.splice(this.#running.indexOf(running), 1)
    // A standby, or a primary to be. The next connection finds the primary.
    if (codeOf(error) === READ_ONLY) this.cut(error as Error)
    if (running.isUnconfirmed)
      return new OutcomeUnknown('The database stopped waiting for its standby: what it wrote may be lost.', { cause: error })
    if (error != null && running.isCommit && !isAnswered(error))
      return new OutcomeUnknown('The connection was lost during a commit.', { cause: error })
    return error ?? undefined
  }

  /** The last host that was found serves again without a search; after a failure the next connection searches. */
  async #connectToOneOf(): Promise<void> {
    const list = `${this.#target} ${this.#hosts.map(({ host, port }) => `${host}:${port}`).join()}`
    const found = lastFound.get(list) ?? (await findHost(this.#config, this.#hosts, this.#target))
    Object.assign(this, found)
    nameAddress(this)
    try {
      await super.connect()
      if (!(await isTarget(this, this.#target))) {
        await this.end()
        throw wrongServer(this.#target)
      }
    } catch (error) {
      lastFound.delete(list)
      throw error
    }
    lastFound.set(list, found)
  }
}

/** A server that fails on its own side, for example because its disk is full, refuses the connection with an internal error. */
function asRefusal(error: unknown): never {
  if (!(error instanceof Error) || !String(codeOf(error)).startsWith('XX')) throw error
  throw Object.assign(new Error(error.message, { cause: error }), { code: REFUSED })
}

/** Makes TLS compare the certificate with an IP address; the driver passes on names only, and `localhost` would be compared instead. */
function nameAddress({ connection, host }: pg.Client): void {
  const { ssl } = connection as { ssl?: unknown }
  if (typeof ssl === 'object' && ssl !== null && isIP(host) !== 0) Object.assign(ssl, { host })
}

/** The first host that answers and is what is looked for. @throws the error of one of the hosts. */
async function findHost(config: DatabaseClientConfig, hosts: readonly DatabaseHost[], target: Target): Promise<DatabaseHost> {
  const probes = hosts.map(async (host) => {
    const probe = new pg.Client({ ...config, connectionTimeoutMillis: PROBE_TIMEOUT, query_timeout: PROBE_TIMEOUT })
    probe.on('error', () => {})
    Object.assign(probe, host)
    nameAddress(probe)
    try {
      await probe.connect()
      if (!(await isTarget(probe, target))) throw wrongServer(target)
      return host
    } finally {
      probe.end().catch(() => {})
    }
  })
  return Promise.any(probes).catch(({ errors }: AggregateError) => {
    // A server that is away says more than one that is a standby.
    throw errors.find((error) => codeOf(error) !== WRONG_SERVER) ?? errors[0]
  })
}

async function isTarget(client: pg.Client, target: Target): Promise<boolean> {
  if (target === 'any') return true
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  return rows[0]!.standby === (target === 'standby')
}

/** SQL's code for a write in a read-only transaction, such as all are on a standby. */
const READ_ONLY = '25006'
/** SQL's code for a server that accepts no connections now. */
const WRONG_SERVER = '57P03'
/** SQL's code for a connection that could not be made. */
const REFUSED = '08001'
const wrongServer = (target: Target): Error =>
  Object.assign(new Error(`No host of the database is ${target === 'standby' ? 'a standby' : 'writable'} at the moment.`), {
    code: WRONG_SERVER,
  })

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Cursors and queries with a life of their own. */
const isSubmittable = (statement: unknown): boolean =>
  typeof statement === 'object' && statement !== null && 'submit' in statement && typeof statement.submit === 'function'

function isCommit(statement: unknown): boolean {
  const text = typeof statement === 'string' ? statement : (statement as { text?: string } | null)?.text
  return /^\s*(commit|end)\b/i.test(text ?? '')
}

/** Whether the server said why it refused. While it shuts down it also ends transactions that it has already committed. */
const isAnswered = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code !== undefined && !/^(57P0|08)/.test(error.code)
