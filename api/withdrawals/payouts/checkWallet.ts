import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'
import type { PayoutDesk } from './PayoutDesk.ts'
import { type ChainView, countNonces } from './readChain.ts'
import { lockWallet, stopWallet } from '../payoutWallets/stopWallet.ts'

/**
 * Makes the wallet's row when there is none, and compares it with the chain: a nonce that is used there and that we never signed means
 * that the key is used elsewhere, or that the database is an older one. Then nothing more is signed (money.md 26).
 */
export async function checkWallet(desk: PayoutDesk, { mined, seen }: ChainView): Promise<void> {
  const { address } = desk.account
  const row = await desk.read
    .selectFrom('payout_wallets')
    .select(['nextNonce', 'stoppedBecause'])
    .where('address', '=', address)
    .executeTakeFirst()
  if (!row) {
    await stopUsedElsewhere(desk)
    return makeRow(desk, { mined, seen })
  }
  await alertIfForgotten(desk, seen)
  if (row.stoppedBecause !== null || seen <= row.nextNonce) return

  const because = describeUnknown('The payout wallet', { used: seen, known: row.nextNonce })
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
  const wallets = await desk.read
    .selectFrom('payout_wallets')
    .select(['address', 'nextNonce'])
    .where('address', '<>', desk.account.address)
    .where('stoppedBecause', 'is', null)
    .execute()
  for (const { address, nextNonce } of wallets) {
    const used = await countNonces(desk.endpoint, address, 'latest')
    if (used <= nextNonce) continue
    const because = describeUnknown(`The payout wallet ${address}, whose key is configured no more,`, { used, known: nextNonce })
    if (await desk.write((em) => stop(em, desk, { address, because }))) desk.log(because)
  }
}

const describeUnknown = (wallet: string, { used, known }: { used: number; known: number }): string =>
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
    const made = await query(em)
      .insertInto('payout_wallets')
      .values({ address: desk.account.address, nextNonce: mined })
      .onConflict((conflict) => conflict.doNothing())
      .returning('address')
      .executeTakeFirst()
    return made !== undefined && seen > 0 && stop(em, desk, { address: desk.account.address, because })
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
  const gap = await desk.read
    .selectFrom('payouts')
    .select('id')
    .where('wallet', '=', desk.account.address)
    .where('nonce', '>=', seen)
    .where('state', 'in', ['reverted', 'lost'])
    .limit(1)
    .executeTakeFirst()
  if (gap)
    await desk.alert(
      'forgotten',
      'The reward chain has forgotten payouts that were final. Those after them wait until it has them again.',
    )
  else desk.over('forgotten')
}
