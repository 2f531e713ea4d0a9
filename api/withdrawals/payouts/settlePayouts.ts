import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { LeadershipLost } from '#api/platform/db/lead.ts'
import { unnest } from '#api/platform/db/unnest.ts'
import { query } from '#api/entities/tables.ts'
import { completeWithdrawals } from '../requests/completeWithdrawals.ts'
import { refundWithdrawal } from '../requests/refundWithdrawal.ts'
import { lockSent, lockWithdrawals } from './lockSent.ts'
import type { PayoutContext } from './PayoutContext.ts'
import type { ChainView } from './readChain.ts'
import { isRefund, type Outcome } from './Outcome.ts'
import { readOutcomes } from './readOutcomes.ts'
import type { SettlementNotes } from './SettlementNotes.ts'
import { stopWallet } from '../payoutWallets/stopWallet.ts'
import { restoreSweptFees } from './sweepFees.ts'

const TRANSACTION_BATCH_SIZE = 100

/** Settles the payouts that are final on the chain (money.md 25). @returns their number. */
export async function settlePayouts(context: PayoutContext, view: ChainView, notes: SettlementNotes): Promise<number> {
  const outcomes = await readOutcomes(context, view, notes)
  if (outcomes.length === 0) return 0
  await context.step('receiptRead')
  // A refund locks the owner's account, so each runs in its own transaction (`moveXcr`). Refunds are rare.
  for (const outcome of outcomes.filter(isRefund)) await writeOutcomes(context, [outcome])
  const others = outcomes.filter((outcome) => !isRefund(outcome))
  for (let index = 0; index < others.length; index += TRANSACTION_BATCH_SIZE)
    await writeOutcomes(context, others.slice(index, index + TRANSACTION_BATCH_SIZE))
  await context.step('settled')
  return outcomes.length
}

/** Writes all outcomes in one transaction. If that fails, each in its own, so that a bad one does not block the others. */
async function writeOutcomes(context: PayoutContext, outcomes: readonly Outcome[]): Promise<void> {
  try {
    await write(context, outcomes)
  } catch (error) {
    if (error instanceof LeadershipLost) throw error
    if (outcomes.length === 1) {
      const [{ payout }] = outcomes as [Outcome]
      await context.alert(`settle ${payout.id}`, `The payout of ${payout.cause} is final and cannot be settled: ${String(error)}`)
      return
    }
    for (const outcome of outcomes) await writeOutcomes(context, [outcome])
  }
}

async function write(context: PayoutContext, outcomes: readonly Outcome[]): Promise<void> {
  const { services, account } = context
  const now = services.clock.now()
  const stopped = await context.write(async (em) => {
    const open = await lockOpen(em, outcomes)
    if (open.length === 0) return undefined
    await query(em)
      .updateTable('payouts')
      .from(
        unnest(
          'settled',
          { id: 'uuid', outcome: 'text', hash: 'text' },
          open.map(({ payout, state, hash }) => ({ id: payout.id, outcome: state, hash })),
        ),
      )
      .set((eb) => ({ state: eb.ref('settled.outcome'), finalHash: eb.ref('settled.hash'), settledAt: now }))
      .whereRef('payouts.id', '=', 'settled.id')
      .execute()
    const lost = open.filter(({ state }) => state === 'lost')
    const because = lost[0] && describeLoss(lost[0])
    if (because) {
      const unpaid = lost.flatMap(({ payout }) => payout.withdrawalId ?? [])
      await query(em)
        .updateTable('withdrawals')
        .set({ status: 'manual_review', reviewReason: 'unknown_outcome' })
        .where('id', '=', sql<string>`any(${unpaid}::uuid[])`)
        .execute()
      await stopWallet(em, { address: account.address, because, now })
      await context.mailOperator(em, because)
    }
    const paid = open.filter(({ state }) => state === 'paid')
    await completeWithdrawals(
      em,
      services,
      paid.flatMap(({ payout, hash, ordinal }) =>
        payout.withdrawalId && hash ? [{ id: payout.withdrawalId, transactionHash: hash, transferOrdinal: ordinal }] : [],
      ),
    )
    for (const outcome of open) {
      const { payout, hash } = outcome
      if (!isRefund(outcome)) continue
      if (payout.withdrawalId)
        await refundWithdrawal(em, services, {
          id: payout.withdrawalId,
          ...(hash && { transactionHash: hash }),
        })
      else await restoreSweptFees(em, payout)
    }
    return because
  })
  if (stopped) context.log(stopped)
}

/** Locks the withdrawals and returns the outcomes whose payouts are still open, because an administrator may have decided meanwhile. */
async function lockOpen(em: EntityManager, outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const withdrawals = outcomes.flatMap(({ payout }) => payout.withdrawalId ?? [])
  await lockWithdrawals(em, withdrawals)
  const rows = await lockSent(
    em,
    outcomes.map(({ payout }) => payout.id),
  )
  const open = new Set(rows.map(({ id }) => id))
  return outcomes.filter(({ payout }) => open.has(payout.id))
}

const describeLoss = ({ payout, hash }: Outcome): string =>
  hash
    ? `The transaction ${hash} of ${payout.cause} did not make the transfer it was signed for. Payouts are stopped until \`npm run admin -- reconcile-payouts\`.`
    : `Nonce ${payout.nonce} of the payout wallet was used by an unknown transaction instead of the one that pays ${payout.cause}. Payouts are ` +
      'stopped until `npm run admin -- reconcile-payouts`.'
