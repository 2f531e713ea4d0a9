import { formatAmount } from '#shared/amount.ts'
import { sql } from '../../db/sql.ts'
import type { Check } from '../Check.ts'

const xcr = (amount: string | null): string => `${formatAmount(BigInt(amount ?? 0))} XCR`

/** What moved in and out is what there is. */
export const balances: Check = {
  name: 'Every balance is the sum of its entries',
  async run(em) {
    const rows = await sql<{ id: string; balance: string | null; entries: string | null }>(
      em,
      `with moved as (
         select account, sum(amount) as entries from (
           select to_account as account, amount from ledger_entries union all select from_account, -amount from ledger_entries
         ) movements group by account
       )
       select coalesce(id, account) as id, balance, entries from accounts full join moved on account = id
       where balance is distinct from coalesce(entries, 0)`,
    )
    return rows.map(({ id, balance, entries }) =>
      balance === null
        ? `${id} has entries of ${xcr(entries)} and no account`
        : `account ${id} holds ${xcr(balance)}, its entries say ${xcr(entries)}`,
    )
  },
}

export const totalsEarned: Check = {
  name: 'Every total earned is the sum of its distributions',
  async run(em) {
    const rows = await sql<{ id: string; earned: string | null; distributed: string | null }>(
      em,
      `select coalesce(id, user_id) as id, total_earned as earned, distributed
       from accounts full join (select user_id, sum(amount) as distributed from distributions group by user_id) d on user_id = id
       where total_earned is distinct from coalesce(distributed, 0)`,
    )
    return rows.map(
      ({ id, earned, distributed }) => `account ${id} says ${xcr(earned)} earned, its distributions say ${xcr(distributed)}`,
    )
  },
}

export const owners: Check = {
  name: "Every account is a user's or the house's",
  async run(em) {
    const rows = await sql<{ id: string; kind: string }>(
      em,
      `select a.id, kind from accounts a left join users u on u.id = a.id where (kind = 'user') <> (u.id is not null)`,
    )
    return rows.map(({ id, kind }) => `account ${id} is of the kind ${kind}`)
  },
}
