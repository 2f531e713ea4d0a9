import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { CARRIED } from '../archivedSql.ts'
import type { Check } from '../Check.ts'
import { xcr } from './amounts.ts'

export const balances: Check = {
  name: 'Every balance is the sum of its entries',
  async run(em) {
    const rows = await sql<{ id: string; balance: string | null; entries: string | null }>(
      em,
      `with moved as (
         select account, sum(amount) as entries from (
           select to_account as account, amount from ledger_entries union all select from_account, -amount from ledger_entries
           union all select account_id, moved from ${CARRIED} carried
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
  name: 'Every total earned is the sum of its distributions and corrections',
  async run(em) {
    const rows = await sql<{ id: string; earned: string | null; distributed: string | null }>(
      em,
      `select coalesce(id, user_id) as id, total_earned as earned, distributed
       from accounts full join (
         select user_id, sum(amount) as distributed from (
           select user_id, amount from distributions union all select user_id, amount from reward_corrections
           union all select account_id, distributed from ${CARRIED} carried where distributed > 0
         ) rewards group by user_id
       ) d on user_id = id
       where total_earned is distinct from coalesce(distributed, 0)`,
    )
    return rows.map(
      ({ id, earned, distributed }) => `account ${id} says ${xcr(earned)} earned, its distributions say ${xcr(distributed)}`,
    )
  },
}

export const owners: Check = {
  name: 'Every account belongs to a user or is a system account',
  async run(em) {
    const rows = await sql<{ id: string; kind: string }>(
      em,
      `select a.id, kind from accounts a left join users u on u.id = a.id where (kind = 'user') <> (u.id is not null)`,
    )
    return rows.map(({ id, kind }) => `account ${id} is of the kind ${kind}`)
  },
}

/** A second rewards account could create XCR while every balance still adds up. */
export const systemAccounts: Check = {
  name: 'All system accounts exist, and only those of rewards and debts may be negative',
  async run(em) {
    const rows = await sql<{ id: string; kind: string; fault: string }>(
      em,
      `select coalesce(a.id, h.id) as id, coalesce(a.kind, h.kind) as kind, case
         when a.id is null then 'is missing'
         when h.id is null and a.kind <> 'user' then 'is no known system account'
         when a.may_go_negative then 'may become negative'
         else 'is negative' end as fault
       from accounts a full join unnest($1::uuid[], $2::text[]) as h (id, kind) using (id)
       where (a.id is null and h.kind <> 'debts')
         or (coalesce(h.kind, '') not in ('rewards', 'debts') and (a.may_go_negative or a.balance < 0))
         or (h.id is null and a.kind <> 'user') order by 1`,
      [Object.values(houseAccounts), Object.keys(houseAccounts)],
    )
    return rows.map(({ id, kind, fault }) => `the account ${id} of the kind ${kind} ${fault}`)
  },
}

/** The kinds of accounts that an entry of each cause moves XCR between. */
const moves: readonly [cause: string, from: string, to: string][] = [
  ['distribution', 'rewards', 'user'],
  ['correction', 'rewards', 'user'],
  ['withdrawal', 'user', 'payouts'],
  ['refund', 'payouts', 'user'],
  ['fee', 'payouts', 'fees'],
  ['sweep', 'fees', 'payouts'],
  ['sweep-back', 'payouts', 'fees'],
  ['debt', 'debts', 'user'],
  ['debt-paid', 'user', 'debts'],
]

export const knownMoves: Check = {
  name: 'Every entry has a known cause and moves XCR between the kinds of accounts of that cause',
  async run(em) {
    const rows = await sql<{ cause: string; amount: string; from_account: string; to_account: string }>(
      em,
      `select e.cause, e.amount, e.from_account, e.to_account from ledger_entries e
       left join accounts f on f.id = e.from_account left join accounts t on t.id = e.to_account
       where not exists (
         select from unnest($1::text[], $2::text[], $3::text[]) as m (cause, from_kind, to_kind)
         where m.cause = split_part(e.cause, ':', 1) and f.kind = m.from_kind and t.kind = m.to_kind
       ) order by e.date, e.cause`,
      [moves.map(([cause]) => cause), moves.map(([, from]) => from), moves.map(([, , to]) => to)],
    )
    return rows.map(
      ({ cause, amount, from_account, to_account }) => `${cause} moves ${xcr(amount)} from ${from_account} to ${to_account}`,
    )
  },
}
