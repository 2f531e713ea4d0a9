import type { MikroORM } from '@mikro-orm/postgresql'
import { randomUUID } from 'node:crypto'
import { SECOND } from '#shared/dates.ts'
// SQL as text: generate_series, and an upsert with a condition, in one statement; the primary key decides a race.
import { sql } from '../db/sql.ts'
import { STREAMS_PER_ACCOUNT } from '../tables/EventStream.ts'

/** How long the streams of a process that died still count. */
const LEASE = 30 * SECOND
const RENEW_EVERY = 10 * SECOND
/** Less than the lease: a process that could not renew stops counting on it before another one may take its slots. */
const LEASE_IS_SAFE = 20 * SECOND

interface Lease {
  id: string
  safeUntil: number
  /** Ends the streams that were opened under it. */
  readonly streams: Set<() => void>
}

/**
 * Counts the open event streams of each account over all processes (money.md 35): a stream holds one of the account's slots, rows whose
 * primary key the database keeps unique, and each process holds its slots under one lease. If it dies they are free once the lease
 * expires. Single statements without a session of their own: they may go through a pooler.
 */
export class StreamSlots {
  readonly #orm: MikroORM
  #lease: Promise<Lease> | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #renewing: Promise<void> | undefined
  readonly #releasing = new Set<Promise<unknown>>()

  constructor(orm: MikroORM) {
    this.#orm = orm
  }

  /** Takes a slot for a stream, and answers how to release it. Undefined while all of the account's are taken. */
  async take(accountId: string, end: () => void): Promise<(() => void) | undefined> {
    const lease = await (this.#lease ??= this.#beginLease())
    const slot = await this.#takeSlot(accountId, lease.id)
    if (slot === undefined) return undefined
    // The lease was lost meanwhile, and the slot with it.
    if ((await this.#lease) !== lease) return this.take(accountId, end)
    lease.streams.add(end)
    return () => {
      lease.streams.delete(end)
      if (!this.#isStopped) this.#release(accountId, slot, lease.id)
    }
  }

  /** Renews the lease; once that failed for too long, ends the streams opened under it and begins another with the next stream. */
  async renew(): Promise<void> {
    const lease = await this.#lease
    if (!lease) return
    const sentAt = performance.now()
    const isSafe = sentAt < lease.safeUntil
    const renewed = isSafe
      ? await this.#run(
          `update stream_leases set expires_at = now() + $2 * interval '1 millisecond' where id = $1 and expires_at > now() returning id`,
          [lease.id, LEASE],
        ).catch(() => undefined)
      : []
    if (renewed && renewed.length > 0) lease.safeUntil = sentAt + LEASE_IS_SAFE
    else if (renewed || performance.now() >= lease.safeUntil) {
      this.#lease = undefined
      for (const end of lease.streams) end()
    }
  }

  /** If it fails, the slot is freed when the lease expires. */
  #release(accountId: string, slot: number, leaseId: string): void {
    const statement = 'delete from event_streams where account_id = $1 and slot = $2 and lease_id = $3'
    const releasing = this.#run(statement, [accountId, slot, leaseId]).catch(() => {})
    this.#releasing.add(releasing)
    void releasing.then(() => this.#releasing.delete(releasing))
  }

  /** Frees all that this process holds. Nothing is asked of the database from then on. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#isStopped = true
    await Promise.all([this.#renewing, ...this.#releasing])
    const lease = await this.#lease?.catch(() => undefined)
    if (lease) await this.#run('delete from stream_leases where id = $1', [lease.id]).catch(() => {})
  }

  async #beginLease(): Promise<Lease> {
    const lease = { id: randomUUID(), safeUntil: performance.now() + LEASE_IS_SAFE, streams: new Set<() => void>() }
    try {
      await this.#run(`insert into stream_leases (id, expires_at) values ($1, now() + $2 * interval '1 millisecond')`, [
        lease.id,
        LEASE,
      ])
    } catch (error) {
      this.#lease = undefined
      throw error
    }
    this.#timer ??= setInterval(() => void (this.#renewing = this.renew()), RENEW_EVERY).unref()
    return lease
  }

  async #takeSlot(accountId: string, leaseId: string): Promise<number | undefined> {
    // Two processes that choose the same free slot at once: one gets it, the other looks again, and finds one slot less.
    for (let looks = 0; looks <= STREAMS_PER_ACCOUNT; looks += 1) {
      const [found] = await this.#run<{ slot: number | null; is_full: boolean }>(
        `with free as (
           select n.slot from generate_series(1, ${STREAMS_PER_ACCOUNT}) n (slot)
           where not exists (
             select from event_streams s join stream_leases l on l.id = s.lease_id
             where s.account_id = $1 and s.slot = n.slot and l.expires_at > now()
           ) order by n.slot limit 1
         ), taken as (
           insert into event_streams (account_id, slot, lease_id) select $1, slot, $2 from free
           on conflict (account_id, slot) do update set lease_id = excluded.lease_id
             where exists (select from stream_leases l where l.id = event_streams.lease_id and l.expires_at <= now())
           returning slot
         )
         select (select slot from taken) as slot, not exists (select from free) as is_full`,
        [accountId, leaseId],
      )
      if (found?.slot != null) return found.slot
      if (found?.is_full) return undefined
    }
    return undefined
  }

  #run<T>(statement: string, values: unknown[]): Promise<T[]> {
    return sql<T>(this.#orm.em.fork(), statement, values)
  }
}
