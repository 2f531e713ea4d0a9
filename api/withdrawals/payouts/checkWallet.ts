import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'
import type { PayoutContext } from './PayoutContext.ts'
import { type ChainView, countUsed } from './readChain.ts'
import { lockWallet } from '../payoutWallets/lockWallet.ts'
import { stopWallet } from '../payoutWallets/stopWallet.ts'

/**
 * Creates the wallet's row if it is missing, and compares it with the chain. A nonce used on the chain that we never signed means that
 * the key is used elsewhere or that the database is an older backup; payouts then stop (money.md 26).
 */
export async function checkWallet(context: PayoutContext, { mined, seen }: ChainView): Promise<void> {
  const { address } = context.account
  const row = await context.read
    .selectFrom('payout_wallets')
    .select(['nextNonce', 'stoppedBecause'])
    .where('address', '=', address)
    .executeTakeFirst()
  if (!row || (await isChangedKey(context))) await stopUsedElsewhere(context)
  if (!row) return makeRow(context, { mined, seen })
  await alertIfNonceGap(context, seen)
  if (row.stoppedBecause !== null || seen <= row.nextNonce) return

  const because = describeUnknown('The payout wallet', { used: seen, known: row.nextNonce })
  const stopped = await context.write(async (em) => {
    const { nextNonce } = await lockWallet(em, address)
    return seen > nextNonce && stop(em, context, { address, because })
  })
  if (stopped) context.log(because)
}

/** Whether another wallet has signed the newest payout. */
async function isChangedKey({ read, account }: PayoutContext): Promise<boolean> {
  const newest = await read.selectFrom('payouts').select('wallet').orderBy('signedAt', 'desc').limit(1).executeTakeFirst()
  return newest !== undefined && newest.wallet !== account.address
}

/**
 * After a change of the configured key, until it has signed a payout, compares the other wallets with the chain: if the database is an older
 * backup, they may have paid withdrawals that are open here.
 */
async function stopUsedElsewhere(context: PayoutContext): Promise<void> {
  const wallets = await context.read
    .selectFrom('payout_wallets')
    .select(['address', 'nextNonce'])
    .where('address', '<>', context.account.address)
    .where('stoppedBecause', 'is', null)
    .execute()
  for (const { address, nextNonce } of wallets) {
    const used = await countUsed(context, address)
    if (used <= nextNonce) continue
    const because = describeUnknown(`The payout wallet ${address}, whose key is no longer configured,`, {
      used,
      known: nextNonce,
    })
    if (await context.write((em) => stop(em, context, { address, because }))) context.log(because)
  }
}

const describeUnknown = (wallet: string, { used, known }: { used: number; known: number }): string =>
  `${wallet} has sent ${used} transactions, ${known} are recorded: its key is used elsewhere, or the database was ` +
  'restored from an older backup. Payouts are stopped until `npm run admin -- reconcile-payouts`.'

/**
 * A wallet that was used before it had a row may have paid withdrawals: manually, or by us if the database is older than its first
 * payout.
 */
async function makeRow(context: PayoutContext, { mined, seen }: Pick<ChainView, 'mined' | 'seen'>): Promise<void> {
  const because =
    `The payout wallet had sent ${seen} transactions before it was first used here, which may have paid withdrawals. Nothing is paid out until ` +
    '`npm run admin -- reconcile-payouts` has compared the two.'
  const stopped = await context.write(async (em) => {
    const made = await query(em)
      .insertInto('payout_wallets')
      .values({ address: context.account.address, nextNonce: mined })
      .onConflict((conflict) => conflict.doNothing())
      .returning('address')
      .executeTakeFirst()
    return made !== undefined && seen > 0 && stop(em, context, { address: context.account.address, because })
  })
  if (stopped) context.log(because)
}

/** @returns false if the wallet was stopped already. */
async function stop(
  em: EntityManager,
  context: PayoutContext,
  { address, because }: { address: Address; because: string },
): Promise<boolean> {
  if (!(await stopWallet(em, { address, because, now: context.services.clock.now() }))) return false
  await context.mailOperator(em, because)
  return true
}

/** Nonces that are settled in the database but unused on the chain leave a gap that blocks all later payouts. */
async function alertIfNonceGap(context: PayoutContext, seen: number): Promise<void> {
  const gap = await context.read
    .selectFrom('payouts')
    .select('id')
    .where('wallet', '=', context.account.address)
    .where('nonce', '>=', seen)
    .where('state', 'in', ['reverted', 'lost'])
    .limit(1)
    .executeTakeFirst()
  if (gap)
    await context.alert(
      'forgotten',
      'The reward chain no longer has payouts that were final. Later payouts wait until it has them again.',
    )
  else context.endAlert('forgotten')
}
