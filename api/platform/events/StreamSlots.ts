import type { MikroORM } from '@mikro-orm/postgresql'
import { randomUUID } from 'node:crypto'
import { SECOND } from '#shared/dates.ts'
import { createBatcher } from '../db/createBatcher.ts'
// SQL as text: generate_series and a conditional upsert in one statement; the primary key decides races.
import { sql } from '../db/sql.ts'
import { STREAMS_PER_ACCOUNT } from '../tables/EventStream.ts'

/** How long the streams of a crashed process still count. */
const LEASE_DURATION = 30 * SECOND
const RENEW_INTERVAL = 10 * SECOND
/** Shorter than the lease: a process that cannot renew it stops using it before another process may take its slots. */
const SAFE_LEASE_DURATION = 20 * SECOND

interface Lease {
  id: string
  safeUntil: number
  /** Functions that end the streams opened under this lease. */
  readonly streams: Set<() => void>
}

interface TakenSlot {
  accountId: string
  slot: number
  leaseId: string
}

/**
 * Counts the open event streams of each account over all processes (money.md 35). A stream holds one of the account's slots,
 * which are rows with a unique primary key. Each process holds its slots under one lease, so the slots of a crashed process are
 * free when its lease expires. Every call is a single statement without session state, so it works through a pooler.
 */
export class StreamSlots {
  readonly #orm: MikroORM
  #lease: Promise<Lease> | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #renewing: Promise<void> | undefined
  readonly #releasing = new Set<Promise<unknown>>()
  /** When a process ends, all its pages reconnect at once: concurrent streams share a statement. Two of one account never do. */
  readonly #take = createBatcher<{ accountId: string; leaseId: string }, { slot: number | null; isFull: boolean }>({
    maxSize: 200,
    groupOf: ({ accountId }) => accountId,
    run: (asked) => this.#takeTogether(asked),
  })
  readonly #free = createBatcher<TakenSlot, void>({
    maxSize: 200,
    run: (taken) => this.#freeTogether(taken),
  })

  constructor(orm: MikroORM) {
    this.#orm = orm
  }

  /** Takes a slot for a stream and returns the function that releases it; undefined if the account has no free slot. */
  async take(accountId: string, end: () => void): Promise<(() => void) | undefined> {
    const lease = await (this.#lease ??= this.#beginLease())
    const slot = await this.#takeSlot(accountId, lease.id)
    if (slot === undefined) return undefined
    // The lease was lost in the meantime, and the slot with it.
    if ((await this.#lease) !== lease) return this.take(accountId, end)
    lease.streams.add(end)
    return () => {
      lease.streams.delete(end)
      if (!this.#isStopped) this.#release({ accountId, slot, leaseId: lease.id })
    }
  }

  /** Renews the lease. If renewal fails for too long, the streams opened under it end; the next stream begins a new lease. */
  async renew(): Promise<void> {
    // If the lease cannot begin, `take` refuses the streams that wait for it. An unhandled rejection here would end the process.
    const lease = await this.#lease?.catch(() => undefined)
    if (!lease) return
    const sentAt = performance.now()
    const isSafe = sentAt < lease.safeUntil
    const renewed = isSafe
      ? await this.#run(
          `update stream_leases set expires_at = now() + $2 * interval '1 millisecond' where id = $1 and expires_at > now() returning id`,
          [lease.id, LEASE_DURATION],
        ).catch(() => undefined)
      : []
    if (renewed && renewed.length > 0) lease.safeUntil = sentAt + SAFE_LEASE_DURATION
    else if (renewed || performance.now() >= lease.safeUntil) {
      this.#lease = undefined
      for (const end of lease.streams) end()
    }
  }

  /** If this fails, the slot is free when the lease expires. */
  #release(taken: TakenSlot): void {
    const releasing = this.#free(taken).catch(() => {})
    this.#releasing.add(releasing)
    void releasing.then(() => this.#releasing.delete(releasing))
  }

  /** Frees all slots of this process. No statements follow. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#isStopped = true
    await Promise.all([this.#renewing, ...this.#releasing])
    const lease = await this.#lease?.catch(() => undefined)
    if (lease) await this.#run('delete from stream_leases where id = $1', [lease.id]).catch(() => {})
  }

  async #beginLease(): Promise<Lease> {
    const lease = { id: randomUUID(), safeUntil: performance.now() + SAFE_LEASE_DURATION, streams: new Set<() => void>() }
    try {
      await this.#run(`insert into stream_leases (id, expires_at) values ($1, now() + $2 * interval '1 millisecond')`, [
        lease.id,
        LEASE_DURATION,
      ])
    } catch (error) {
      this.#lease = undefined
      throw error
    }
    this.#timer ??= setInterval(() => void (this.#renewing = this.renew()), RENEW_INTERVAL).unref()
    return lease
  }

  /** Two processes may choose the same free slot. The loser tries again with one slot fewer. */
  async #takeSlot(accountId: string, leaseId: string): Promise<number | undefined> {
    for (let tries = 0; tries <= STREAMS_PER_ACCOUNT; tries += 1) {
      const { slot, isFull } = await this.#take({ accountId, leaseId })
      if (slot !== null) return slot
      if (isFull) return undefined
    }
    return undefined
  }

  async #takeTogether(
    asked: readonly { accountId: string; leaseId: string }[],
  ): Promise<{ slot: number | null; isFull: boolean }[]> {
    const rows = await this.#run<{ account_id: string; slot: number | null; is_full: boolean }>(
      `with free as materialized (
         select a.account_id, a.lease_id, (
           select n.slot from generate_series(1, ${STREAMS_PER_ACCOUNT}) n (slot)
           where not exists (
             select from event_streams s join stream_leases l on l.id = s.lease_id
             where s.account_id = a.account_id and s.slot = n.slot and l.expires_at > now()
           ) order by n.slot limit 1
         ) as slot
         from unnest($1::uuid[], $2::uuid[]) as a (account_id, lease_id)
       ), taken as (
         -- In one order everywhere, so that two processes cannot deadlock.
         insert into event_streams (account_id, slot, lease_id)
         select account_id, slot, lease_id from free where slot is not null order by account_id, slot
         on conflict (account_id, slot) do update set lease_id = excluded.lease_id
           where exists (select from stream_leases l where l.id = event_streams.lease_id and l.expires_at <= now())
         returning account_id, slot
       )
       select free.account_id, taken.slot, free.slot is null as is_full from free left join taken using (account_id)`,
      [asked.map(({ accountId }) => accountId), asked.map(({ leaseId }) => leaseId)],
    )
    const found = new Map(rows.map(({ account_id, slot, is_full }) => [account_id, { slot, isFull: is_full }]))
    return asked.map(({ accountId }) => found.get(accountId)!)
  }

  async #freeTogether(taken: readonly TakenSlot[]): Promise<undefined[]> {
    await this.#run(
      `delete from event_streams s using unnest($1::uuid[], $2::smallint[], $3::uuid[]) as t (account_id, slot, lease_id)
       where s.account_id = t.account_id and s.slot = t.slot and s.lease_id = t.lease_id`,
      [taken.map(({ accountId }) => accountId), taken.map(({ slot }) => slot), taken.map(({ leaseId }) => leaseId)],
    )
    return taken.map(() => undefined)
  }

  #run<T>(statement: string, values: unknown[]): Promise<T[]> {
    return sql<T>(this.#orm.em.fork(), statement, values)
  }
}
