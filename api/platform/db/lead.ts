import pg from 'pg'
import type { EntityManager } from '@mikro-orm/postgresql'
import { SECOND } from '#shared/dates.ts'
import type { LeaderRole } from './leaderRoles.ts'
import { isAway } from './isAway.ts'
import { sql } from './sql.ts'

/** A term as the one leader of a role. */
export interface Term {
  role: LeaderRole
  epoch: number
  /** Ends when the connection that holds the lock is lost, or on `stop`. */
  signal: AbortSignal
}

/** This process was the leader and is no more: another one has begun a later term. */
export class LeadershipLost extends Error {
  override name = 'LeadershipLost'
}

/**
 * Fails unless the term is still the present one, and holds that until the transaction ends. Every write of a leader begins with it: a
 * leader that was paused, and whose lock another has taken meanwhile, must not write.
 */
export async function requireTerm(em: EntityManager, { role, epoch }: Pick<Term, 'role' | 'epoch'>): Promise<void> {
  const [row] = await sql<{ epoch: number }>(em, 'select epoch from leaderships where role = $1 for share', [role])
  if (row?.epoch !== epoch) throw new LeadershipLost(`Term ${epoch} as ${role} is over.`)
}

/** This process cannot open the connections that the role needs: another one may. */
export class UnfitToLead extends Error {
  override name = 'UnfitToLead'
}

const RETRY = SECOND
/** Whoever is unfit stays back for this long: any other is quicker. */
const STAND_BACK = 5 * SECOND
/** A restart of the database, or of a node, is over before it. */
const PATIENCE = 30 * SECOND

/**
 * Works as the leader of a role whenever no other process does: by a PostgreSQL advisory lock on a connection of its own, which the
 * server gives up when that connection dies.
 *
 * @param url the direct URL: a lock of a session does not survive a transaction pooler.
 */
export function lead(
  url: string,
  role: LeaderRole,
  work: (term: Term) => Promise<void>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()

  async function serve(): Promise<void> {
    const client = new pg.Client({ connectionString: url, keepAlive: true, keepAliveInitialDelayMillis: 5 * SECOND })
    const lost = new AbortController()
    client.on('error', () => lost.abort())
    client.on('end', () => lost.abort())
    try {
      await client.connect()
      // The server, too, must notice within seconds that we are gone, or our lock outlives us.
      await client.query('set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3')
      const signal = AbortSignal.any([stopping.signal, lost.signal])
      while (!signal.aborted && !(await tryLock(client, role))) await wait(RETRY, signal)
      if (signal.aborted) return
      const { rows } = await client.query<{ epoch: number }>(
        'update leaderships set epoch = epoch + 1 where role = $1 returning epoch',
        [role],
      )
      await work({ role, epoch: rows[0]!.epoch, signal })
    } finally {
      await client.end().catch(() => {})
    }
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      const failure = await serve().catch((error: unknown) => error)
      if (failure !== undefined && !(failure instanceof LeadershipLost)) onError(failure)
      await wait(failure instanceof UnfitToLead ? STAND_BACK : RETRY, stopping.signal)
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
  /** Told of what fails: the next round tries again. */
  onError: (error: unknown) => void
  /** Milliseconds for which rounds may fail for want of a connection. */
  patience?: number
}

/**
 * The work of a leader, round after round until the term ends. A round answers after how many milliseconds the next is due.
 *
 * @throws UnfitToLead once all rounds have failed for long for want of a connection: the lock's own, which was there before, may stand in a
 * process that can open no other.
 */
export async function workInRounds(
  { role, signal }: Term,
  round: () => Promise<number>,
  { onError, patience = PATIENCE }: Rounds,
) {
  let unfitSince: number | undefined
  while (!signal.aborted) {
    const pause = await round().catch((error: unknown) => {
      if (error instanceof LeadershipLost) throw error
      if (!isAway(error)) unfitSince = undefined
      else if (Date.now() - (unfitSince ??= Date.now()) >= patience)
        throw new UnfitToLead(`This process gives up the lead as ${role} for a moment: it cannot connect to what that needs.`, {
          cause: error,
        })
      onError(error)
      return undefined
    })
    if (pause !== undefined) unfitSince = undefined
    await wait(pause ?? RETRY, signal)
  }
}

async function tryLock(client: pg.Client, role: LeaderRole): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(
    `select pg_try_advisory_lock(hashtext('leader'), hashtext($1)) as mine`,
    [role],
  )
  return rows[0]!.mine
}

/** Waits, or stops waiting when the signal ends. */
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
