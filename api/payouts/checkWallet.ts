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
  if (!row) {
    await desk.write((em) =>
      sql(em, 'insert into payout_wallets (address, next_nonce) values ($1, $2) on conflict do nothing', [address, mined]),
    )
    return
  }
  await alertIfForgotten(desk, seen)
  if (row.stopped_because !== null || seen <= Number(row.next_nonce)) return

  const because =
    `The payout wallet has sent ${seen} transactions and we know of ${row.next_nonce}: its key is used elsewhere, or the database is an ` +
    'older one. Nothing is paid out until `npm run admin -- reconcile-payouts` has compared the two.'
  const stopped = await desk.write(async (em) => {
    const { nextNonce } = await lockWallet(em, address)
    if (seen <= nextNonce || !(await stopWallet(em, { address, because, now: desk.services.clock.now() }))) return false
    await desk.mailOperator(em, because)
    return true
  })
  if (stopped) desk.log(because)
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
