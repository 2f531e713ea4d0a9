import type { EntityManager } from '@mikro-orm/postgresql'
import type { Objection } from '#shared/objections.ts'
import { objectTo, objectToReceived, textOfObjection } from '#shared/objectionTexts.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Services } from '#api/platform/services.ts'
import { readAmountDue } from './amountDue.ts'
import { confirmByHand } from './confirmByHand.ts'
import { type OpenPurchase, requireNoneArriving } from './decidePurchase.ts'
import { refundUnknown, transactionUnsuitable } from './errors.ts'
import { markMatched } from './markMatched.ts'
import { mayBeRefunded } from './mayBeRefunded.ts'
import { findOwnerObjections, type Overriding, requireNamed } from './objections.ts'

/**
 * Confirms a purchase with the final payments received so far. If there are none it stays owed one of its amount: the payment that is not
 * final yet, or a later one.
 *
 * @returns the objections that were overridden. @throws 409 as `weighApproval` and `requireNamed`; `insufficient_supply`.
 */
export async function approvePurchase(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  open: OpenPurchase,
  overriding: Overriding,
): Promise<readonly Objection[]> {
  const { purchase } = open
  const { paid, latest, objections } = await weighApproval(em, open)
  requireNamed(objections, overriding)
  await confirmByHand(em, services, purchase, { hash: latest?.transactionHash ?? null, deposits: paid })
  for (const deposit of paid) markMatched(deposit, purchase, services.clock.now())
  return objections
}

/**
 * The final payments that it would be confirmed with, the latest of them or the one that is not final yet, and everything that speaks against
 * it.
 *
 * @throws 409 `request_in_progress` while another payment is not final: once this one is booked, it would buy nodes again;
 * `transaction_foreign` if only another account has proven the wallet that paid; an administrator may confirm with its transaction instead;
 * `refund_unknown` if one of the payments may have been refunded before the database was restored. Two persons then assign it (money.md 42).
 */
export async function weighApproval(
  em: EntityManager,
  { purchase, deposits }: OpenPurchase,
): Promise<{ paid: Deposit[]; latest: Deposit | undefined; objections: Objection[] }> {
  const paid = deposits.filter(({ state }) => state === 'review')
  // A payment of another amount, which nobody has accepted yet, would count as the whole one, and the rest would buy further nodes.
  const owed =
    paid.length > 0
      ? undefined
      : deposits.find(
          ({ blockNumber, sender, amount }) => blockNumber !== null && sender === purchase.wallet && amount === purchase.amount,
        )
  requireNoneArriving(
    purchase,
    deposits.filter((deposit) => deposit !== owed),
  )
  const latest = paid.at(-1) ?? owed
  const accepted = paid.length > 0 ? paid : owed ? [owed] : []
  if (accepted.length > 0 && (await mayBeRefunded(em, accepted))) throw refundUnknown()
  const senders = new Set(accepted.map(({ sender }) => sender))
  const areSendersKnown = accepted.length > 0
  const ofOthers = await findOwnerObjections(em, {
    // Whatever is not paid yet, its wallet owes.
    senders: areSendersKnown ? senders : [purchase.wallet!],
    areSendersKnown,
    deposits: accepted,
    buyer: purchase.user.id,
  })
  const refused = areSendersKnown ? ofOthers.filter(({ code }) => code === 'wallet_of_another') : []
  if (refused.length > 0) throw transactionUnsuitable(refused.map(textOfObjection).join(' '))
  return {
    paid,
    latest,
    objections: [
      ...objectToReceived(
        paid.reduce((sum, { amount }) => sum + amount, 0n),
        await readAmountDue(em, purchase),
      ),
      // A payment from another wallet belongs to the owner of that wallet.
      ...[...senders].filter((sender) => sender !== purchase.wallet).map((wallet) => objectTo('other_wallet', { wallet })),
      ...ofOthers,
    ],
  }
}
