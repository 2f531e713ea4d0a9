import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
// SQL as text: every balance changes here; arrays keep the movements of hundreds one statement.
import { sql } from '#api/platform/db/sql.ts'
import { DomainError } from '#api/platform/errors.ts'

export interface Movement {
  /** A user's id, or one of `houseAccounts`. */
  from: string
  to: string
  amount: bigint
  /** What it is for, such as `withdrawal:<id>`: one cause moves once. */
  cause: string
  /** The cause's own date (YYYY-MM-DD, UTC), the same at every try; never that of the try. */
  date: string
}

/** An account holds less than is to leave it. */
export class InsufficientXcr extends DomainError {
  override name = 'InsufficientXcr'
  readonly available: bigint

  constructor(available: bigint) {
    super('insufficient_xcr', 'Insufficient XCR balance.', { status: 409, details: { available: formatAmount(available) } })
    this.available = available
  }
}

/**
 * Moves XCR from account to account, all of it or nothing. Besides the daily run nothing else changes a balance.
 *
 * Movements that belong together go in one call: it locks all their accounts in one order, people's first and the house's last, so that two
 * never wait for each other. Nearly everybody meets at the house's: whoever moves for a person has the rest of the transaction done by
 * then, and moves for no other person in it.
 *
 * @returns false, and moves nothing, if these causes have moved before.
 * @throws {InsufficientXcr} if a person's account would fall below zero.
 */
export async function moveXcr(em: EntityManager, movements: readonly Movement[]): Promise<boolean> {
  const ids = [...new Set(movements.flatMap(({ from, to }) => [from, to]))].sort()
  // House accounts are there; a person's begins with its first movement.
  await sql(
    em,
    `insert into accounts (id, kind) select id, 'user' from users where id = any($1::uuid[]) on conflict do nothing`,
    [ids],
  )
  const people = await sql<{ id: string; balance: string }>(
    em,
    `select id, balance from accounts where id = any($1::uuid[]) and kind = 'user' order by id for update`,
    [ids],
  )

  const written = await writeEntries(em, movements)
  if (written === 0) return false
  if (written !== movements.length)
    throw new Error(`Of ${movements.map(({ cause }) => cause).join(', ')} some have moved before.`)

  const changes = new Map(ids.map((id) => [id, 0n]))
  for (const { from, to, amount } of movements) {
    changes.set(from, changes.get(from)! - amount)
    changes.set(to, changes.get(to)! + amount)
  }
  for (const { id, balance } of people) if (BigInt(balance) + changes.get(id)! < 0n) throw new InsufficientXcr(BigInt(balance))
  const changed = await sql(
    em,
    `with locked as materialized (select id from accounts where id = any($1::uuid[]) order by id for update)
     update accounts set balance = balance + new.change from unnest($1::uuid[], $2::numeric[]) new (id, change), locked
     where locked.id = new.id and accounts.id = new.id returning 1`,
    [ids, ids.map((id) => changes.get(id)!.toString())],
  )
  if (changed.length !== ids.length) throw new Error(`Among ${ids.join(', ')} there is an id without an account.`)
  return true
}

/** Answers how many were new. */
async function writeEntries(em: EntityManager, movements: readonly Movement[]): Promise<number> {
  const rows = await sql(
    em,
    `insert into ledger_entries (date, cause, from_account, to_account, amount, recorded_at)
     select *, now() from unnest($1::date[], $2::text[], $3::uuid[], $4::uuid[], $5::numeric[])
     on conflict do nothing returning 1`,
    [
      movements.map(({ date }) => date),
      movements.map(({ cause }) => cause),
      movements.map(({ from }) => from),
      movements.map(({ to }) => to),
      movements.map(({ amount }) => amount.toString()),
    ],
  )
  return rows.length
}
