import type pg from 'pg'
import { SECOND } from '#shared/dates.ts'
import { connectionOptions } from './connectionOptions.ts'
import { DatabaseClient } from './DatabaseClient.ts'
import type { LeaderRole } from './leaderRoles.ts'
import { isUnavailable } from './isUnavailable.ts'

/** A term as the leader of a role. */
export interface Term {
  role: LeaderRole
  epoch: number
  /** Aborts when the connection that holds the lock is lost, or on `stop`. */
  signal: AbortSignal
}

/** This process is no longer the leader: another one has begun a later term. */
export class LeadershipLost extends Error {
  override name = 'LeadershipLost'
}

/** This process cannot open the connections that the role needs; another one may. */
export class UnfitToLead extends Error {
  override name = 'UnfitToLead'
}

const RETRY_INTERVAL = SECOND
/** How often a leader asks whether its term still is the current one. */
const HEARTBEAT_INTERVAL = 5 * SECOND
/** A server without an answer for so long is frozen or cut off, though the connection looks alive. Another one may lead elsewhere. */
const HEARTBEAT_TIMEOUT = 10 * SECOND
/** An unfit process waits this long, so that others acquire the lock first. */
const UNFIT_PAUSE = 5 * SECOND
/** The time without connections after which a leader is unfit; restarts of the database or of a node are shorter. */
const UNFIT_AFTER = 30 * SECOND

/**
 * Runs `work` as the leader of a role while no other process leads it. Uses a PostgreSQL advisory lock on a dedicated connection,
 * which the server releases when that connection dies.
 *
 * @param url the direct URL, because session locks do not work through a transaction pooler.
 */
export function lead(
  url: string,
  role: LeaderRole,
  work: (term: Term) => Promise<void>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()

  async function serve(): Promise<void> {
    const client = new DatabaseClient(connectionOptions(url, { answerTimeout: HEARTBEAT_TIMEOUT }))
    const lost = new AbortController()
    let heartbeat: NodeJS.Timeout | undefined
    client.on('error', () => lost.abort())
    client.on('end', () => lost.abort())
    try {
      await client.connect()
      // The server must also detect a dead connection within seconds, or the lock outlives this process.
      await client.query('set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3')
      const signal = AbortSignal.any([stopping.signal, lost.signal])
      while (!signal.aborted && !(await tryLock(client, role))) await wait(RETRY_INTERVAL, signal)
      if (signal.aborted) return
      const { rows } = await client.query<{ epoch: number }>(
        'update leaderships set epoch = epoch + 1 where role = $1 returning epoch',
        [role],
      )
      // Work that only listens for the end would wait for it forever.
      if (signal.aborted) return
      const { epoch } = rows[0]!
      heartbeat = setInterval(
        () => void isCurrent(client, { role, epoch }).then((current) => current || lost.abort()),
        HEARTBEAT_INTERVAL,
      )
      await work({ role, epoch, signal })
    } finally {
      clearInterval(heartbeat)
      await client.end().catch(() => {})
    }
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      const failure = await serve().catch((error: unknown) => error)
      if (failure !== undefined && !(failure instanceof LeadershipLost)) onError(failure)
      await wait(failure instanceof UnfitToLead ? UNFIT_PAUSE : RETRY_INTERVAL, stopping.signal)
    }
  })()

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

interface Rounds {
  /** Receives the errors of failed rounds, which are retried. */
  onError: (error: unknown) => void
  /** How long rounds may fail without a connection, in milliseconds. */
  unfitAfter?: number
}

/**
 * Runs a leader's rounds until the term ends. A round returns the milliseconds until the next one.
 *
 * @throws UnfitToLead if all rounds fail for `unfitAfter` because no connection can be opened: the lock's existing connection may
 * survive in a process that cannot open others.
 */
export async function workInRounds(
  { role, signal }: Term,
  round: () => Promise<number>,
  { onError, unfitAfter = UNFIT_AFTER }: Rounds,
) {
  let unfitSince: number | undefined
  while (!signal.aborted) {
    const pause = await round().catch((error: unknown) => {
      if (error instanceof LeadershipLost) throw error
      const now = Date.now()
      if (!isUnavailable(error)) unfitSince = undefined
      else if (now - (unfitSince ??= now) >= unfitAfter)
        throw new UnfitToLead(`This process gives up the lead as ${role} for a moment: it cannot connect to what that needs.`, {
          cause: error,
        })
      onError(error)
      return undefined
    })
    if (pause !== undefined) unfitSince = undefined
    await wait(pause ?? RETRY_INTERVAL, signal)
  }
}

/** Also false if the server does not answer. */
const isCurrent = (client: pg.Client, { role, epoch }: Pick<Term, 'role' | 'epoch'>): Promise<boolean> =>
  client.query<{ epoch: number }>('select epoch from leaderships where role = $1', [role]).then(
    ({ rows }) => rows[0]?.epoch === epoch,
    () => false,
  )

async function tryLock(client: pg.Client, role: LeaderRole): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(
    `select pg_try_advisory_lock(hashtext('leader'), hashtext($1)) as mine`,
    [role],
  )
  return rows[0]!.mine
}

/** Waits until the time has passed or the signal aborts. */
export const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done)
  })
