import type { EntityManager } from '@mikro-orm/postgresql'
import type { Services } from '#api/platform/services.ts'
import { confirmByHand } from './confirmByHand.ts'
import { type OpenPurchase, requireNoneArriving } from './decidePurchase.ts'
import { refundUnknown } from './errors.ts'
import { markMatched } from './markMatched.ts'
import { mayBeRefunded } from './mayBeRefunded.ts'
import { findOwnerObjection } from './findOwnerObjection.ts'

/**
 * Confirms a purchase with the final payments received so far. If there are none it stays owed one of its amount: the payment that is not
 * final yet, or a later one.
 *
 * @throws 409 `request_in_progress` while another payment is not final: once this one is booked, it would buy nodes again;
 * `transaction_foreign` if only another account has proven the wallet that paid; an administrator may confirm with its transaction instead;
 * `refund_unknown` if one of the payments may have been refunded before the database was restored. Two persons then assign it (money.md 42).
 */
export async function approvePurchase(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { purchase, deposits }: OpenPurchase,
): Promise<void> {
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
  if (latest && (await mayBeRefunded(em, [...paid, latest]))) throw refundUnknown()
  const senders = [...paid, latest].flatMap((deposit) => deposit?.sender ?? [])
  const objection = await findOwnerObjection(em, purchase, senders)
  if (objection) throw objection
  await confirmByHand(em, services, purchase, { hash: latest?.transactionHash ?? null, deposits: paid })
  for (const deposit of paid) markMatched(deposit, purchase, services.clock.now())
}
