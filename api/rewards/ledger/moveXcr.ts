import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
// SQL as text: every balance changes here, and arrays write hundreds of movements in one statement.
import { sql } from '#api/platform/db/sql.ts'
import { DomainError } from '#api/platform/errors.ts'

export interface Movement {
  /** A user's id, or one of `houseAccounts`. */
  from: string
  to: string
  amount: bigint
  /** The reason, such as `withdrawal:<id>`. Each cause moves once. */
  cause: string
  /** The date of the cause (YYYY-MM-DD, UTC). It must be the same in every attempt, so it is never the date of the attempt. */
  date: string
}

/** The account's balance is too low. */
export class InsufficientXcr extends DomainError {
  override name = 'InsufficientXcr'
  readonly available: bigint

  constructor(available: bigint) {
    super('insufficient_xcr', 'Insufficient XCR balance.', { status: 409, details: { available: formatAmount(available) } })
    this.available = available
  }
}

/**
 * Moves XCR between accounts, completely or not at all. Only this and the daily run change balances.
 *
 * Related movements must be passed in one call, which locks all their accounts in one order to prevent deadlocks: users first, the house
 * accounts last. Nearly all transactions use the house accounts. A transaction that moves XCR for a user therefore calls this as its last
 * step and moves XCR for no other user.
 *
 * @returns false, without any movement, if these causes have moved before.
 * @throws {InsufficientXcr} if a user's balance would fall below zero.
 */
export async function moveXcr(em: EntityManager, movements: readonly Movement[]): Promise<boolean> {
  const ids = [...new Set(movements.flatMap(({ from, to }) => [from, to]))].sort()
  // House accounts exist; a user's account is created with its first movement.
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

/** Returns the number of new entries. */
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
