import { sql } from '#api/platform/db/sql.ts'
import type { Check } from '../Check.ts'

/** Unique keys. A database index guards each; this check reads the rows, in case an index is missing or damaged. */
const uniqueKeys: readonly [what: string, from: string, key: string][] = [
  ['node', 'nodes', 'number::text'],
  ['deposit of', 'deposits', `chain_id || ' ' || transaction_hash || ' ' || ordinal`],
  ['refund by', 'deposits where refund_hash is not null', `refund_hash || ' ' || coalesce(refund_ordinal::text, 'unknown')`],
  ['reservation of', `purchases where status = 'reserved'`, 'user_id::text'],
  ['wallet', 'users where wallet_address is not null', 'lower(wallet_address)'],
  ['distribution of', 'distributions', `day || ' ' || user_id`],
  ['correction of', 'reward_corrections', `day || ' ' || purchase_id`],
  ['entry', 'ledger_entries', 'cause'],
  ['withdrawal signed as', 'withdrawals', 'message_hash'],
  ['withdrawal paid by', 'withdrawals where transfer_ordinal is not null', `transaction_hash || ' ' || transfer_ordinal`],
  ['payout for', 'payouts', 'cause'],
  ['payout of the withdrawal', 'payouts where withdrawal_id is not null', 'withdrawal_id::text'],
  ['payout with the nonce', 'payouts', `wallet_address || ' ' || nonce`],
  ['passkey', 'passkeys', 'credential_id'],
  ['transaction signed as', 'payout_attempts', 'hash'],
]

export const onceOnly: Check = {
  name: 'Every unique key occurs once',
  async run(em) {
    // A damaged index would hide the duplicates that it failed to refuse.
    await sql(
      em,
      `select set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
    )
    const rows = await sql<{ what: string; key: string; times: string }>(
      em,
      uniqueKeys
        .map(
          ([what, from, key]) =>
            `select '${what}' as what, ${key} as key, count(*) as times from ${from} group by 2 having count(*) > 1`,
        )
        .join(' union all '),
    )
    await sql(
      em,
      `select set_config('enable_indexscan', 'on', true), set_config('enable_indexonlyscan', 'on', true), set_config('enable_bitmapscan', 'on', true)`,
    )
    return rows.map(({ what, key, times }) => `${what} ${key}: there are ${times}`).toSorted()
  },
}
