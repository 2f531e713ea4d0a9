import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'
import type { PayoutDesk } from './PayoutDesk.ts'
import type { ChainView } from './readChain.ts'
import { lockWallet, stopWallet } from './stopWallet.ts'

/**
 * Makes the wallet's row when there is none, and compares it with the chain: a nonce that is used there and that we never signed means
 * that the key is used elsewhere, or that the database is an older one. Then nothing more is signed (money.md 26).
 */
export async function checkWallet(desk: PayoutDesk, { mined, seen }: ChainView): Promise<void> {
  const { address } = desk.account
  const [row] = await desk.rows<{ next_nonce: string; stopped_because: string | null }>(
    'select next_nonce, stopped_because from payout_wallets where address = $1',
    [address],
  )
  if (!row) return makeRow(desk, { mined, seen })
  await alertIfForgotten(desk, seen)
  if (row.stopped_because !== null || seen <= Number(row.next_nonce)) return

  const because =
    `The payout wallet has sent ${seen} transactions and we know of ${row.next_nonce}: its key is used elsewhere, or the database is an ` +
    'older one. Nothing is paid out until `npm run admin -- reconcile-payouts` has compared the two.'
  const stopped = await desk.write(async (em) => {
    const { nextNonce } = await lockWallet(em, address)
    return seen > nextNonce && stop(em, desk, because)
  })
  if (stopped) desk.log(because)
}

/**
 * A wallet that was used before we knew of it may have paid what is open here: by hand, or by us, if the database is an older one than its
 * first payout.
 */
async function makeRow(desk: PayoutDesk, { mined, seen }: Pick<ChainView, 'mined' | 'seen'>): Promise<void> {
  const because =
    `The payout wallet had sent ${seen} transactions before we knew of it, and withdrawals are open that they may have paid. Nothing is ` +
    'paid out until `npm run admin -- reconcile-payouts` has compared the two.'
  const stopped = await desk.write(async (em) => {
    const made = await sql(
      em,
      'insert into payout_wallets (address, next_nonce) values ($1, $2) on conflict do nothing returning 1',
      [desk.account.address, mined],
    )
    if (made.length === 0 || seen === 0) return false
    const [open] = await sql(em, `select from withdrawals where status in ('pending', 'manual_review') limit 1`)
    return open !== undefined && stop(em, desk, because)
  })
  if (stopped) desk.log(because)
}

/** Answers whether it was not stopped before. */
async function stop(em: EntityManager, desk: PayoutDesk, because: string): Promise<boolean> {
  const { account, services } = desk
  if (!(await stopWallet(em, { address: account.address, because, now: services.clock.now() }))) return false
  await desk.mailOperator(em, because)
  return true
}

/** Nonces that are settled here and unused there leave a gap that nothing behind them passes. */
async function alertIfForgotten(desk: PayoutDesk, seen: number): Promise<void> {
  const [gap] = await desk.rows(
    `select from payouts where wallet_address = $1 and nonce >= $2 and state in ('reverted', 'lost') limit 1`,
    [desk.account.address, seen],
  )
  if (gap)
    await desk.alert(
      'forgotten',
      'The reward chain has forgotten payouts that were final. Those after them wait until it has them again.',
    )
  else desk.over('forgotten')
}
