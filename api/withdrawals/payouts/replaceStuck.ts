import type { Hash } from 'viem'
import type { FeeRange, Fees } from '#api/platform/chain/readFees.ts'
import { replacementFees } from '#api/platform/chain/replacementFees.ts'
import { lockWallet } from '../payoutWallets/lockWallet.ts'
import { MAX_DIFFERENCE } from './estimateGas.ts'
import { lockUnpaid, lockWithdrawals } from './lockSent.ts'
import type { PayoutContext } from './PayoutContext.ts'
import type { WaitingPayout } from './readWaitingPayouts.ts'
import { type NewAttempt, storeAttempts, storeTransactionHashes } from './storePayouts.ts'

/** The maximum of a replacement's fee, as a multiple of the chain's current fee. */
const MAX_FEE_MULTIPLE = 20n
/** How many times its fees a replacement offers at most while the hosts ask different ones. */
const MAX_STEP = 4n

/**
 * Signs and stores a transaction with higher fees at the same nonce. Only one of the two can be mined.
 *
 * @param options `stuck`: those that are not mined, or that no node takes, for a minute. Only they approach the higher fees, which one host
 * may invent while it refuses lower ones. `gas`: the newest estimate, if there is one. With wrong gas no node takes a transaction, whatever
 * its fees.
 */
export async function replaceStuck(
  context: PayoutContext,
  payouts: readonly WaitingPayout[],
  { current, stuck, gas }: { current: FeeRange; stuck: ReadonlySet<WaitingPayout>; gas: bigint | undefined },
) {
  const operatorLimit = context.services.config.PAYOUT_MAX_GAS_PRICE
  const usualLimit = current.high.maxFeePerGas * MAX_FEE_MULTIPLE
  const priced = payouts.map((payout) => {
    const fees = replacementFees(payout.fees, stuck.has(payout) ? stepTo(payout.fees, current, operatorLimit) : current.low)
    // Fees that were raised while the gas was wrong must not keep it so for good.
    const urgent = isFirstCancellation(payout) || isWrong(context.account.gasOf(payout.signedBytes), gas)
    return { payout, urgent, fees: urgent ? limited(fees, operatorLimit) : fees }
  })
  const isAllowed = ({ urgent, fees }: (typeof priced)[number]) =>
    urgent || (fees.maxFeePerGas <= usualLimit && fees.maxFeePerGas <= operatorLimit)
  const overLimit = priced.find((one) => !isAllowed(one))
  if (overLimit)
    await context.alert(
      'fees',
      overLimit.fees.maxFeePerGas > usualLimit
        ? `Nonce ${overLimit.payout.nonce} of the payout wallet is not mined, though it offers ${MAX_FEE_MULTIPLE} times the usual fee.`
        : `Nonce ${overLimit.payout.nonce} of the payout wallet is not mined, and its replacement would offer more than PAYOUT_MAX_GAS_PRICE.`,
    )
  else context.endAlert('fees')
  const wanted = priced.filter(isAllowed)
  if (wanted.length === 0) return []

  return context.write(async (em) => {
    const withdrawals = wanted.flatMap(({ payout }) => payout.withdrawalId ?? [])
    await lockWithdrawals(em, withdrawals)
    const rows = await lockUnpaid(
      em,
      wanted.map(({ payout }) => payout.id),
    )
    if ((await lockWallet(em, context.account.address)).stoppedBecause !== null) return []
    const cancels = new Map(
      rows.map(({ id, state, cancelRequestedAt }) => [id, state === 'reverted' || cancelRequestedAt !== null]),
    )
    const attempts: NewAttempt[] = []
    const shown: { withdrawalId: string; hash: Hash }[] = []
    for (const { payout, fees } of wanted) {
      const cancel = cancels.get(payout.id)
      if (cancel === undefined) continue
      const terms = { nonce: payout.nonce, gas: gas ?? context.account.gasOf(payout.signedBytes), ...fees }
      const signed = cancel
        ? await context.account.signNothing(terms)
        : await context.account.signTransfer({ ...terms, recipient: payout.recipient, amount: payout.amount })
      attempts.push({ ...signed, ...fees, payoutId: payout.id, kind: cancel ? 'cancel' : 'pay', replaces: payout.attemptId })
      if (!cancel && payout.withdrawalId) shown.push({ withdrawalId: payout.withdrawalId, hash: signed.hash })
    }
    await context.step('signed')
    await storeTransactionHashes(em, shown)
    return storeAttempts(em, { attempts, now: context.services.clock.now() })
  })
}

/**
 * Its payment is not resent any more, so without a cancellation nothing would use the nonce, and all later payouts would wait. If the fees
 * are too low to replace a payment that a node still has, that one is mined.
 */
const isFirstCancellation = ({ cancelRequested, kind }: WaitingPayout): boolean => Boolean(cancelRequested) && kind === 'pay'

/** Whether the gas of a transaction differs from the estimate of now by more than estimates do. */
const isWrong = (signed: bigint, gas: bigint | undefined): boolean =>
  gas !== undefined && (signed > gas * MAX_DIFFERENCE || gas > signed * MAX_DIFFERENCE)

/**
 * The fees to offer instead: what all hosts ask at least, and if one asks more, at most four times what was offered. So a host that invents
 * a price makes one expensive only if it is not mined for minutes. Whatever was offered, the higher price is reached in four steps: a host
 * that asks next to nothing delays a payout no longer.
 */
const stepTo = (before: Fees, { low, high }: FeeRange, operatorLimit: bigint): Fees => {
  const highest = smaller(high.maxFeePerGas, operatorLimit)
  const raised = larger(before.maxFeePerGas * MAX_STEP, highest / MAX_STEP ** 3n)
  const maxFeePerGas = larger(low.maxFeePerGas, smaller(highest, raised))
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(high.maxPriorityFeePerGas, maxFeePerGas) }
}

const limited = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees, limit: bigint): Fees => ({
  maxFeePerGas: smaller(maxFeePerGas, limit),
  maxPriorityFeePerGas: smaller(maxPriorityFeePerGas, limit),
})

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other)
