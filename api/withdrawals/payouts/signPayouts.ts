import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { HOUR, MINUTE } from '#shared/dates.ts'
import { readWaitStart } from '#api/platform/clock/readWaitStart.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { recordWithdrawalChanges } from '../requests/recordWithdrawalChanges.ts'
import { type CapRoom, greatest, least, readCaps, roomOf } from '../payoutWallets/payoutCaps.ts'
import { arePayoutsStopped } from '../payoutWallets/arePayoutsStopped.ts'
import type { SignedAttempt } from './broadcast.ts'
import { NET, selectFitting } from './duePayouts.ts'
import type { PayoutContext } from './PayoutContext.ts'
import type { ChainView } from './readChain.ts'
import type { HotWalletBalance } from './readHotWalletBalance.ts'
import { lockWallet } from '../payoutWallets/lockWallet.ts'
import { storeTransactionHashes, type NewPayout, storeAttempts, storePayouts } from './storePayouts.ts'
import { debitSweep, type DueSweep, findDueSweep } from './sweepFees.ts'

/** Payouts per transaction: enough to amortize the commit, few enough to be sent soon. */
const SIGNING_BATCH_SIZE = 200

export interface Signed {
  attempts: SignedAttempt[]
  /** Whether there may be more to sign now. */
  more: boolean
}

const nothing: Signed = { attempts: [], more: false }

/**
 * Assigns nonces to due payouts in their order, as far as the hot wallet's balance and the pool limit allow, and signs and stores them
 * in one transaction. Sends nothing.
 */
export async function signPayouts(
  context: PayoutContext,
  { view, hotWallet, gas }: { view: ChainView; hotWallet: HotWalletBalance; gas: bigint },
): Promise<Signed> {
  const { account, services } = context
  const sweep = await findDueSweep(context)
  let shortage: Shortage | undefined
  const signed = await context.write(async (em): Promise<Signed> => {
    const caps = roomOf(await readCaps(em, services.config, await services.clock.dueNow(em)))
    const withdrawals = await lockDue(em, caps)
    if (withdrawals.length === 0 && !sweep) return nothing
    const wallet = await lockWallet(em, account.address)
    // If an endpoint has seen a nonce that we never took, the next round stops the wallet. If any wallet is stopped, it may already
    // have paid these withdrawals.
    if (view.seen > wallet.nextNonce || (await arePayoutsStopped(em))) return nothing
    const room = services.config.PAYOUTS_IN_FLIGHT - (wallet.nextNonce - view.mined)
    if (room <= 0) return nothing

    const budget = await readBudget(em, { address: account.address, hotWallet, unmined: wallet.nextNonce - view.mined, gas })
    // Again under the wallet's lock: another worker may have signed since.
    const { left } = roomOf(await readCaps(em, services.config, await services.clock.dueNow(em)))
    const due = [...withdrawals.map(toPayout), ...(sweep ? [sweepToPayout(sweep)] : [])]
    const affordable = selectAffordable(due, { ...budget, left })
    shortage = affordable.shortage
    const payouts = affordable.taken
      .slice(0, room)
      .map((payout, index) => ({ ...payout, id: newId(), nonce: wallet.nextNonce + index }))
    if (payouts.length === 0) return nothing
    await context.step('nonceTaken')
    const attempts = await signEach(context, payouts, { gas, hotWallet })
    await context.step('signed')

    const now = services.clock.now()
    // The caps count it from then on.
    await storePayouts(em, { wallet: account.address, payouts, now: await readWaitStart(em, now) })
    const stored = await storeAttempts(em, { attempts, now })
    await query(em)
      .updateTable('payout_wallets')
      .set((eb) => ({ nextNonce: eb('nextNonce', '+', payouts.length) }))
      .where('address', '=', account.address)
      .execute()
    await markProcessing(em, payouts, stored)
    if (sweep && payouts.some(({ cause }) => cause === sweep.cause)) await debitSweep(em, sweep)
    const taken = new Set(payouts.map(({ withdrawalId }) => withdrawalId))
    await recordWithdrawalChanges(
      em,
      withdrawals.filter(({ id }) => taken.has(id)).map(({ user }) => user),
    )
    return { attempts: stored, more: payouts.length >= SIGNING_BATCH_SIZE }
  })
  // The endpoint in use may be the wrong one of three.
  if (shortage && shortage.situation !== 'tokens') context.leave(view.endpoint)
  if (shortage)
    await context.alert(shortage.situation, shortage.message, { after: shortage.after ?? ALERT_AFTER[shortage.situation] })
  else if (signed.attempts.length > 0) for (const situation of ['tokens', 'coins']) context.endAlert(situation, { isOver: true })
  for (const situation of ['hosts', 'final']) if (shortage?.situation !== situation) context.endAlert(situation)
  if (signed.attempts.length > 0) await context.step('stored')
  return signed
}

/** Locks the oldest due withdrawals. Skips those on which an administrator is deciding. */
const lockDue = (em: EntityManager, { largest }: CapRoom) =>
  selectFitting(query(em), largest)
    .select(['w.id', 'w.user', 'w.toAddress', NET.as('net')])
    .orderBy('w.requestedAt')
    .orderBy('w.id')
    .limit(SIGNING_BATCH_SIZE)
    .forUpdate()
    .skipLocked()
    .execute()

type DuePayout = Omit<NewPayout, 'id' | 'nonce'>

const toPayout = ({ id, toAddress, net }: Awaited<ReturnType<typeof lockDue>>[number]): DuePayout => ({
  cause: `withdrawal:${id}`,
  withdrawalId: id,
  recipient: toAddress,
  amount: net,
})

const sweepToPayout = ({ cause, recipient, amount }: DueSweep): DuePayout => ({ cause, withdrawalId: null, recipient, amount })

interface Budget {
  /** The tokens available for payouts, at the newest block and, if known, at the newest final one. */
  tokens: bigint[]
  /** The most that another host shows; undefined if none answers. */
  elsewhere: bigint | undefined
  /** The number of transactions whose fees the coin balance covers. */
  transactions: number
  /** The most at another host. */
  transactionsElsewhere: number
}

interface CappedBudget extends Budget {
  /** What the caps leave, undefined without any. */
  left: bigint | undefined
}

/** Another host may only be a few blocks behind, and a top-up may not be final yet. */
const ALERT_AFTER = { tokens: 0, coins: 0, hosts: MINUTE, final: HOUR }

interface Shortage {
  situation: keyof typeof ALERT_AFTER
  message: string
  /** How long it lasts before the operator is alerted, if not as usual. */
  after?: number
}

/** The hot wallet's balance minus everything that is signed and not final (money.md 27). */
async function readBudget(
  em: EntityManager,
  { address, hotWallet, unmined, gas }: { address: Address; hotWallet: HotWalletBalance; unmined: number; gas: bigint },
): Promise<Budget> {
  const readLeft = async (balances: HotWalletBalance['tokens']): Promise<bigint[]> => {
    const left: bigint[] = []
    for (const { balance, nonces } of balances) {
      const { signed } = await query(em)
        .selectFrom('payouts')
        .select((eb) => eb.fn.sum<bigint | null>('amount').as('signed'))
        .where('wallet', '=', address)
        .where('nonce', '>=', nonces)
        .where('state', 'in', ['sent', 'paid'])
        .executeTakeFirstOrThrow()
      left.push(balance - (signed ?? 0n))
    }
    return left
  }
  const countAffordable = (coins: bigint) => Number(coins / (gas * hotWallet.fees.maxFeePerGas)) - unmined
  return {
    tokens: await readLeft(hotWallet.tokens),
    elsewhere: greatest(await readLeft(hotWallet.elsewhere)),
    transactions: countAffordable(hotWallet.coins),
    transactionsElsewhere: Math.max(0, ...hotWallet.coinsElsewhere.map(countAffordable)),
  }
}

/** Strictly in order: if small payouts could overtake a large one, it might never be paid. */
function selectAffordable(due: readonly DuePayout[], budget: CappedBudget): { taken: DuePayout[]; shortage?: Shortage } {
  const [newest = 0n] = budget.tokens
  const tokens = least(budget.tokens) ?? 0n
  const taken: DuePayout[] = []
  let sum = 0n
  for (const payout of due) {
    sum += payout.amount
    // `watchCaps` alerts.
    if (budget.left !== undefined && sum > budget.left) return { taken }
    if (sum > tokens) {
      // A top-up that will soon be final needs no alert.
      if (sum <= newest) return { taken, shortage: { situation: 'final', message: UNFINAL } }
      const left = newest - sum + payout.amount
      if (budget.elsewhere !== undefined && sum <= budget.elsewhere)
        return { taken, shortage: { situation: 'hosts', message: describeDisagreement(left) } }
      return { taken, shortage: { situation: 'tokens', message: describeTokenShortage(payout, left) } }
    }
    if (budget.elsewhere !== undefined && sum > budget.elsewhere)
      return { taken, shortage: { situation: 'hosts', message: describeDisagreement(budget.elsewhere - sum + payout.amount) } }
    if (taken.length >= budget.transactions) {
      const message =
        "The payout wallet has too little of the reward chain's coin for fees. Withdrawals wait until it is topped up."
      const isDisputed = taken.length < budget.transactionsElsewhere
      return { taken, shortage: { situation: 'coins', message, ...(isDisputed && { after: MINUTE }) } }
    }
    taken.push(payout)
  }
  return { taken }
}

const describeTokenShortage = ({ cause, amount }: DuePayout, left: bigint): string =>
  `The payout wallet has ${formatAmount(left < 0n ? 0n : left)} XCR left and ${cause} needs ${formatAmount(amount)} XCR. ` +
  'Withdrawals wait until it is topped up.'

const UNFINAL =
  'The reward chain does not show the XCR of the payout wallet as final for an hour. Withdrawals that need it wait until it does.'

const describeDisagreement = (left: bigint): string =>
  `One endpoint of the reward chain shows ${formatAmount(left < 0n ? 0n : left)} XCR left in the payout wallet, which the next withdrawal exceeds; another shows more. Withdrawals wait until they agree.`

function signEach(
  context: PayoutContext,
  payouts: readonly NewPayout[],
  { gas, hotWallet }: { gas: bigint; hotWallet: HotWalletBalance },
) {
  return Promise.all(
    payouts.map(async ({ id, nonce, recipient, amount }) => ({
      ...(await context.account.signTransfer({ nonce, gas, recipient, amount, ...hotWallet.fees })),
      ...hotWallet.fees,
      payoutId: id,
      kind: 'pay' as const,
    })),
  )
}

async function markProcessing(
  em: EntityManager,
  payouts: readonly NewPayout[],
  stored: Awaited<ReturnType<typeof storeAttempts>>,
): Promise<void> {
  const hashes = new Map(stored.map(({ payoutId, hash }) => [payoutId, hash]))
  const transactions = payouts.flatMap(({ id, withdrawalId }) => (withdrawalId ? [{ withdrawalId, hash: hashes.get(id)! }] : []))
  const ids = transactions.map(({ withdrawalId }) => withdrawalId)
  await query(em)
    .updateTable('withdrawals')
    .set({ status: 'processing', reviewReason: null })
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  await storeTransactionHashes(em, transactions)
}
