import type pg from 'pg'
import { parseAmount } from '#shared/amount.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { userIdOf } from '../reservations/prepareBuyers.ts'

const AMOUNT = parseAmount('3000')!
const FEE = parseAmount('5')!

/** Inserts requested, unsigned withdrawals, each of another user to a new wallet. */
export async function prepareWithdrawals(database: pg.Client, count: number): Promise<void> {
  const run = (text: string, parameters: unknown[] = []) => database.query(text, parameters)
  await run('truncate withdrawals, payouts, payout_attempts, payout_wallets, change_events cascade')
  await run(
    `insert into users (id, email, password_hash, created_at)
     select ${userIdOf('n')}, n || '@example.com', '-', now() from generate_series(1, $1::int) n on conflict do nothing`,
    [count],
  )
  await run(
    `insert into withdrawals (id, user_id, amount, fee, to_address, status, message_hash, signed_message, signature, created_at, requested_at)
     select ${userIdOf('n')}, ${userIdOf('n')}, $2, $3, '0xb1' || lpad(to_hex(n), 38, '0'), 'pending', lpad(to_hex(n), 64, '0'), '-', '0x',
       now(), now() + n * interval '1 microsecond'
     from generate_series(1, $1::int) n`,
    [count, AMOUNT.toString(), FEE.toString()],
  )
  // The sum of their debits.
  await run('update accounts set balance = balance + $2 where id = $1', [
    houseAccounts.payouts,
    (AMOUNT * BigInt(count)).toString(),
  ])
  await run('vacuum analyze users, withdrawals, accounts')
}
