import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { sql } from '#api/platform/db/sql.ts'
import type { PayoutDesk } from './PayoutDesk.ts'
import { type ChainView, countNonces } from './readChain.ts'
import { lockWallet, stopWallet } from '../payoutWallets/stopWallet.ts'

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
    await stopUsedElsewhere(desk)
    return makeRow(desk, { mined, seen })
  }
  await alertIfForgotten(desk, seen)
  if (row.stopped_because !== null || seen <= Number(row.next_nonce)) return

  const because = describeUnknown('The payout wallet', { used: seen, known: row.next_nonce })
  const stopped = await desk.write(async (em) => {
    const { nextNonce } = await lockWallet(em, address)
    return seen > nextNonce && stop(em, desk, { address, because })
  })
  if (stopped) desk.log(because)
}

/**
 * When another key is configured, the wallets until then are compared one last time: if the database is an older one, they have paid what is
 * open here.
 */
async function stopUsedElsewhere(desk: PayoutDesk): Promise<void> {
  const wallets = await desk.rows<{ address: Address; next_nonce: string }>(
    'select address, next_nonce from payout_wallets where address <> $1 and stopped_because is null',
    [desk.account.address],
  )
  for (const { address, next_nonce } of wallets) {
    const used = await countNonces(desk.endpoint, address, 'latest')
    if (used <= Number(next_nonce)) continue
    const because = describeUnknown(`The payout wallet ${address}, whose key is configured no more,`, { used, known: next_nonce })
    if (await desk.write((em) => stop(em, desk, { address, because }))) desk.log(because)
  }
}

const describeUnknown = (wallet: string, { used, known }: { used: number; known: string }): string =>
  `${wallet} has sent ${used} transactions and we know of ${known}: its key is used elsewhere, or the database is an ` +
  'older one. Nothing is paid out until `npm run admin -- reconcile-payouts` has compared the two.'

/**
 * A wallet that was used before we knew of it may have paid people: by hand, or by us, if the database is older than its first payout.
 */
async function makeRow(desk: PayoutDesk, { mined, seen }: Pick<ChainView, 'mined' | 'seen'>): Promise<void> {
  const because =
    `The payout wallet had sent ${seen} transactions before we knew of it, which may have paid withdrawals. Nothing is paid out until ` +
    '`npm run admin -- reconcile-payouts` has compared the two.'
  const stopped = await desk.write(async (em) => {
    const made = await sql(
      em,
      'insert into payout_wallets (address, next_nonce) values ($1, $2) on conflict do nothing returning 1',
      [desk.account.address, mined],
    )
    return made.length > 0 && seen > 0 && stop(em, desk, { address: desk.account.address, because })
  })
  if (stopped) desk.log(because)
}

/** Answers whether it was not stopped before. */
async function stop(
  em: EntityManager,
  desk: PayoutDesk,
  { address, because }: { address: Address; because: string },
): Promise<boolean> {
  if (!(await stopWallet(em, { address, because, now: desk.services.clock.now() }))) return false
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
