import { formatAmount } from '#shared/amount.ts'
import { query } from '#api/entities/tables.ts'
import { describeCap, roomOf } from '../payoutWallets/payoutCaps.ts'
import { recordWithdrawalChanges } from '../requests/recordWithdrawalChanges.ts'
import { NET, readCapsNow, selectDue, selectFitting } from './duePayouts.ts'
import type { PayoutContext } from './PayoutContext.ts'
import { findDueSweep } from './sweepFees.ts'

/**
 * Records whether payouts wait for the caps, and alerts the operator when that begins. The record outlives the process, so that a new
 * leader does not alert again; it ends when everything due fits.
 */
export async function watchCaps(context: PayoutContext): Promise<void> {
  const { services, account } = context
  const caps = await readCapsNow(context)
  const { left, largest: least } = roomOf(caps)
  // A cap of 0 passes over nothing: it stops all payouts on purpose.
  const largest = least === 0n ? undefined : least
  await alertIfTooLarge(context, largest)
  await alertIfFeesTooLarge(context, largest)
  const due = await sumFitting(context, largest)
  // What was signed before a cap was lowered may exceed it.
  const isCapped = left !== undefined && due > 0n && due > left
  const capped = await context.read.selectFrom('payout_wallets').select('address').where('cappedSince', 'is not', null).execute()
  const isOnlyOwn = capped.every(({ address }) => address === account.address)
  if (isOnlyOwn && capped.length > 0 === isCapped) return
  const message = `The payouts reach their cap: ${caps.map(describeCap).join(', ')}. The other withdrawals wait in their order.`
  const isNew = isCapped && capped.length === 0
  await context.write(async (em) => {
    const record = (cappedSince: Date | null) => query(em).updateTable('payout_wallets').set({ cappedSince })
    await record(isCapped ? services.clock.now() : null)
      .where('address', '=', account.address)
      .execute()
    // Withdrawals no longer wait for a wallet whose key is no longer configured.
    await record(null).where('address', '<>', account.address).where('cappedSince', 'is not', null).execute()
    if (isNew) await context.mailOperator(em, message)
    const waiting = await selectDue(query(em)).select('w.user').distinct().execute()
    await recordWithdrawalChanges(
      em,
      waiting.map(({ user }) => user),
    )
  })
  if (isNew) context.log(message)
}

async function sumFitting(context: PayoutContext, largest: bigint | undefined): Promise<bigint> {
  const { sum } = await selectFitting(context.read, largest)
    .select((eb) => eb.fn.sum<bigint | null>(NET).as('sum'))
    .executeTakeFirstOrThrow()
  return sum ?? 0n
}

/** Withdrawals that no cap can ever allow do not block the others. */
async function alertIfTooLarge(context: PayoutContext, largest: bigint | undefined): Promise<void> {
  const tooLarge =
    largest !== undefined &&
    (await selectDue(context.read)
      .select(['w.id', NET.as('net')])
      .where(NET, '>', largest)
      .orderBy('w.requestedAt')
      .orderBy('w.id')
      .limit(1)
      .executeTakeFirst())
  if (tooLarge) await context.alert('too large', describeTooLarge(tooLarge))
  else context.endAlert('too large', { isOver: true })
}

const describeTooLarge = ({ id, net }: { id: string; net: bigint }): string =>
  `The withdrawal ${id} of ${formatAmount(net)} XCR is larger than the cap of payouts. It waits until the cap is raised or it is cancelled.`

/** Fees that no cap can ever allow accumulate. */
async function alertIfFeesTooLarge(context: PayoutContext, largest: bigint | undefined): Promise<void> {
  const sweep = largest === undefined ? undefined : await findDueSweep(context)
  if (sweep && sweep.amount > largest!) await context.alert('fees too large', describeTooLargeFees(sweep.amount))
  else context.endAlert('fees too large', { isOver: true })
}

const describeTooLargeFees = (fees: bigint): string =>
  `Fees of ${formatAmount(fees)} XCR are larger than the cap of payouts. They are not sent to the fee recipient until the cap is raised.`
