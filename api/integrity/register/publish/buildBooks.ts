import type { EntityManager } from '@mikro-orm/postgresql'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { ChainFigures } from './chainFigures.ts'

interface Options {
  now: Date
  day: EntryOf<'day'>
  figures: ChainFigures
  /** All deposit addresses of the log. */
  addresses: ReadonlySet<string>
}

/** The sums of all rows, as of the snapshot. The equations compare them with those of the entries. */
export async function buildBooks(em: EntityManager, { now, day, figures, addresses }: Options): Promise<EntryOf<'books'>> {
  const [xcr] = await sql<Record<'balances' | 'debts' | 'net' | 'fees' | 'open', string>>(
    em,
    `select
       (select coalesce(sum(balance), 0) from accounts where kind = 'user') as balances,
       (select coalesce(-sum(balance), 0) from accounts where id = $1) as debts,
       coalesce(sum(amount - fee) filter (where status = 'completed'), 0) as net,
       coalesce(sum(fee) filter (where status = 'completed'), 0) as fees,
       coalesce(sum(amount) filter (where status in ('pending', 'processing', 'manual_review')), 0) as open
     from withdrawals`,
    [houseAccounts.debts],
  )
  const received = await sql<{ decision: string; amount: string; returned: string }>(
    em,
    `select decision, sum(amount) as amount, coalesce(sum(refunded_amount) filter (where decision = 'refunded'), 0) as returned from (
       select amount, refunded_amount, case
         when state_before_orphaned is not null then 'orphaned'
         when state in ('matched', 'assigned') then 'counted'
         when state = 'refunded' and 2 * refunded_amount < amount then 'ignored'
         else state end as decision
       from deposits where state <> 'seen' and amount > 0) decided
     group by decision`,
  )
  const amountOf = (decision: string) => BigInt(received.find((row) => row.decision === decision)?.amount ?? 0)
  const { paymentBlock, rewardBlock, reserve } = figures
  const balances = BigInt(xcr!.balances)
  const open = BigInt(xcr!.open)
  return {
    kind: 'books',
    day: day.day,
    time: now,
    earned: day.earned,
    debts: BigInt(xcr!.debts),
    completed: { net: BigInt(xcr!.net), fees: BigInt(xcr!.fees) },
    open,
    balances,
    owed: balances + open,
    received: received.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    counted: amountOf('counted'),
    review: amountOf('review'),
    refunded: amountOf('refunded'),
    ignored: amountOf('ignored'),
    orphaned: amountOf('orphaned'),
    returned: received.reduce((sum, { returned }) => sum + BigInt(returned), 0n),
    paymentBlock,
    rewardBlock,
    addresses: addresses.size > 0 ? [...addresses].toSorted().map((address): `0x${string}` => `0x${address.slice(2)}`) : null,
    reserve: reserve.length > 0 ? reserve.toSorted((a, b) => (a.address < b.address ? -1 : 1)) : null,
  }
}

/** Keeps the balances of the books, which accounts compare with their own calculation. */
export async function storeBalances(em: EntityManager): Promise<void> {
  await sql(
    em,
    `insert into register_balances (user_id, balance, debt)
     select a.id, a.balance, coalesce((select sum(owed) from debts d where d.user_id = a.id), 0) from accounts a where a.kind = 'user'
     on conflict (user_id) do update set balance = excluded.balance, debt = excluded.debt
     where (register_balances.balance, register_balances.debt) is distinct from (excluded.balance, excluded.debt)`,
  )
}
