import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { isForeignNonce } from '#api/withdrawals/payouts/reconciliations.ts'
import { ARCHIVED_BEFORE, ARCHIVED_UNTIL } from '../archivedSql.ts'
import type { Check } from '../Check.ts'
import { xcr } from './amounts.ts'

/** SQL condition: sweeps that have moved fees or still may. */
const LIVE_SWEEPS = `withdrawal_id is null and state not in ('reverted', 'cancelled')`

/** SQL condition: a sweep whose month is not archived. Causes of withdrawals have no date. */
const IS_RECENT_SWEEP = `case when withdrawal_id is null then substr(cause, 7)::date end >= ${ARCHIVED_BEFORE}`

/**
 * SQL that finds the differences between `due` and the ledger.
 *
 * @param due SQL for the expected entries: date, cause, from_account, to_account, amount.
 * @param causes SQL condition that selects the entries to compare.
 */
const compareEntries = (due: string, causes: string) => `
  select coalesce(d.cause, e.cause) as cause, d.amount as due, e.amount as moved
  from (${due}) d
  full join (select * from ledger_entries where cause not like 'distribution:%' and (${causes})) e
    on e.date = d.date and e.cause = d.cause and e.from_account = d.from_account and e.to_account = d.to_account
  where d.amount is distinct from e.amount`

interface Difference {
  cause: string
  due: string | null
  moved: string | null
}

function describe({ cause, due, moved }: Difference): string {
  if (due === null) return `the entry ${cause} of ${xcr(moved!)} has no cause`
  if (moved === null) return `${cause} of ${xcr(due)} has no entry`
  return `${cause} is ${xcr(due)}, its entry ${xcr(moved)}`
}

export const withdrawalEntries: Check = {
  name: 'Every withdrawal has exactly the entries of its state',
  async run(em) {
    const facts = `select id, user_id, amount, fee, status, (created_at at time zone 'UTC')::date as date from withdrawals
      where created_at >= ${ARCHIVED_UNTIL}`
    const rows = await sql<Difference>(
      em,
      compareEntries(
        `select date, 'withdrawal:' || id as cause, user_id as from_account, $1::uuid as to_account, amount from (${facts}) w
         union all select date, 'fee:' || id, $1, $2::uuid, fee from (${facts}) w where status = 'completed' and fee > 0
         union all select date, 'refund:' || id, $1, user_id, amount from (${facts}) w where status = 'failed'`,
        `cause like 'withdrawal:%' or cause like 'fee:%' or cause like 'refund:%'`,
      ) + ' order by 1',
      [houseAccounts.payouts, houseAccounts.fees],
    )
    return rows.map(describe)
  },
}

export const sweepEntries: Check = {
  name: 'Every sweep of fees has its entry, and a failed one has the reversal',
  async run(em) {
    const rows = await sql<Difference>(
      em,
      compareEntries(
        `select substr(cause, 7)::date as date, cause, $2::uuid as from_account, $1::uuid as to_account, amount
         from payouts where ${IS_RECENT_SWEEP}
         union all select substr(cause, 7)::date, 'sweep-back:' || substr(cause, 7), $1, $2, amount
         from payouts where ${IS_RECENT_SWEEP} and state in ('reverted', 'cancelled')`,
        `cause like 'sweep:%' or cause like 'sweep-back:%'`,
      ) + ' order by 1',
      [houseAccounts.payouts, houseAccounts.fees],
    )
    return rows.map(describe)
  },
}

export const debtEntries: Check = {
  name: 'Every debt has one entry, and its repaid part has entries',
  async run(em) {
    const rows = await sql<Difference>(
      em,
      `with paid as (
         select split_part(cause, ':', 2) as withdrawal, date, from_account, sum(amount) as amount from ledger_entries
         where cause not like 'distribution:%' and cause like 'debt-paid:%' and to_account = $1 group by 1, 2, 3
       ), facts as (
         select d.*, (w.created_at at time zone 'UTC')::date as date from debts d join withdrawals w on w.id = withdrawal_id and w.user_id = d.user_id
         where w.created_at >= ${ARCHIVED_UNTIL}
       )
       ${compareEntries(
         `select date, 'debt:' || withdrawal_id as cause, $1::uuid as from_account, user_id as to_account, amount from facts`,
         `cause like 'debt:%'`,
       )}
       union all
       select 'debt-paid:' || coalesce(withdrawal_id::text, withdrawal), f.amount - owed, paid.amount
       from facts f full join paid on withdrawal = withdrawal_id::text and from_account = user_id and paid.date = f.date
       where coalesce(f.amount - owed, 0) <> coalesce(paid.amount, 0)
       order by 1`,
      [houseAccounts.debts],
    )
    return rows.map(describe)
  },
}

export const payoutAccounts: Check = {
  name: 'The balances of the payouts and fees accounts follow from withdrawals and sweeps',
  async run(em) {
    const rows = await sql<{ name: string; balance: string; due: string }>(
      em,
      `with withdrawn as (
         select coalesce(sum(amount - case when status = 'completed' then fee else 0 end) filter (where status <> 'failed'), 0) as held,
           coalesce(sum(fee) filter (where status = 'completed'), 0) as fees
         from withdrawals
       ), swept as (select coalesce(sum(amount), 0) as amount from payouts where ${LIVE_SWEEPS}),
       due as (
         select $1::uuid as id, 'payouts' as name, held + amount as due from withdrawn, swept
         union all select $2::uuid, 'fees', fees - amount from withdrawn, swept
       )
       select name, balance, due from due join accounts using (id) where balance <> due`,
      [houseAccounts.payouts, houseAccounts.fees],
    )
    return rows.map(
      ({ name, balance, due }) => `the account ${name} holds ${xcr(balance)}, withdrawals and sweeps say ${xcr(due)}`,
    )
  },
}

/** SQL condition. A sweep that was booked from the chain after a restore has no stored bytes. */
const HAS_BYTES = `(exists (select from payout_attempts a where a.payout_id = p.id) or (p.withdrawal_id is null and p.state = 'paid'))`

export const payoutRows: Check = {
  name: 'Every payout matches the wallet, amount and state of its withdrawal',
  async run(em) {
    const rows = await sql<{ fault: string }>(
      em,
      `select case
         when p.id is null then 'withdrawal ' || w.id || ' is ' || w.status || ' and has no payout'
         when w.to_address <> p.recipient or w.amount - w.fee <> p.amount then p.cause || ' pays another wallet or amount than requested'
         when not ${HAS_BYTES} then p.cause || ' has a nonce but no signed transaction'
         when p.state = 'paid' and p.final_hash is distinct from w.transaction_hash then p.cause || ' and its withdrawal name different transactions'
         else p.cause || ' is ' || p.state || ', but its withdrawal is ' || w.status
         end as fault
       from withdrawals w full join payouts p on p.withdrawal_id = w.id
       where (p.id is null and w.status = 'processing')
         or (w.id is not null and p.id is not null and (
           w.to_address <> p.recipient or w.amount - w.fee <> p.amount
           or (p.state = 'paid' and p.final_hash is distinct from w.transaction_hash)
           or w.status <> all (case p.state
             when 'sent' then array['processing', 'manual_review']
             when 'paid' then array['completed']
             when 'lost' then array['manual_review', 'failed']
             else array['failed'] end)))
         or (p.id is not null and not ${HAS_BYTES})
       order by 1`,
    )
    return rows.map(({ fault }) => fault)
  },
}

export const payoutNonces: Check = {
  name: 'The nonces of a payout wallet have no gaps except explained foreign transactions',
  async run(em) {
    const rows = await sql<{ address: string; nonce: number }>(
      em,
      `select address, nonce from payout_wallets cross join lateral (
         select generate_series((select min(nonce) from payouts where wallet_address = address), next_nonce - 1) as nonce
       ) nonces where not exists (select from payouts p where p.wallet_address = address and p.nonce = nonces.nonce)
         and not ${isForeignNonce('address', 'nonces.nonce')}
       union all
       select wallet_address, nonce from payouts join payout_wallets on address = wallet_address where nonce >= next_nonce
       order by 1, 2`,
    )
    return rows.map(({ address, nonce }) => `nonce ${nonce} of the wallet ${address} is missing, or not below its next nonce`)
  },
}
