import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { purchaseClosed, purchaseUnknown } from './errors.ts'
import { lockForDecision } from './lockForDecision.ts'
import { releaseUnpaid } from './releaseUnpaid.ts'

export interface PurchaseDecision {
  id: string
  /** As it is written in the audit log. */
  action: 'purchase.approve' | 'purchase.reject' | 'purchase.cancel' | 'purchase.manual_confirm'
  /** Who decides. */
  actor: string
  clientAddress: string
  note: string | undefined
  /** A transaction that he names. */
  hash?: Hash
}

/** A purchase that waits, with the deposits that are attached to it, or of the transaction named, and not dealt with. All locked. */
export interface OpenPurchase {
  purchase: Purchase
  deposits: Deposit[]
}

/**
 * Lets an administrator decide on a purchase that waits, and writes down what it was before and after. Of two who decide on the same one,
 * in whatever way, the second is refused.
 *
 * @throws 404; 409 `purchase_closed`, `request_in_progress`; whatever `work` refuses.
 */
export async function decidePurchase(
  em: EntityManager,
  { id, action, actor, clientAddress, note, hash }: PurchaseDecision,
  work: (open: OpenPurchase) => Promise<void>,
): Promise<void> {
  // The transaction's deposits may wait with other purchases, from which they are taken then.
  const others = hash ? await findPurchasesOf(em, hash) : []
  const locked = await lockForDecision(em, { purchaseIds: [...new Set([id, ...others])], ...(hash && { hash }) })
  const purchase = requireOpen(locked.purchases.get(id))
  const deposits = locked.deposits.filter((deposit) => deposit.purchase?.id === id || deposit.transactionHash === hash)
  const before = recordOfPurchase(purchase, deposits)
  noteOnPurchase(purchase, note)
  await work({ purchase, deposits })
  await em.flush()
  for (const other of locked.purchases.values()) if (other !== purchase) await releaseUnpaid(em, other)
  recordAudit(em, {
    actor,
    action,
    target: `purchase:${id}`,
    ipAddress: clientAddress,
    before,
    after: { ...recordOfPurchase(purchase, deposits), ...(hash && { namedTransaction: hash }) },
  })
}

async function findPurchasesOf(em: EntityManager, hash: Hash): Promise<string[]> {
  const rows = await query(em).selectFrom('deposits').select('purchase').where('transactionHash', '=', hash).execute()
  return rows.flatMap(({ purchase }) => purchase ?? [])
}

/** @throws 404; 409 `purchase_closed` unless it waits for its payment or for a person. */
export function requireOpen(purchase: Purchase | undefined): Purchase {
  if (!purchase) throw purchaseUnknown()
  if (purchase.status !== 'pending' && purchase.status !== 'manual_review') throw purchaseClosed(purchase.status)
  return purchase
}

/** Adds a line to what administrators have noted. */
export function noteOnPurchase(purchase: Purchase, note: string | undefined): void {
  if (note) purchase.adminNotes = [purchase.adminNotes, note].filter(Boolean).join('\n')
}

/** What the audit log keeps of a purchase and its deposits. */
export const recordOfPurchase = (purchase: Purchase, deposits: readonly Deposit[]) => ({
  status: purchase.status,
  result: purchase.result,
  amount: formatAmount(purchase.amount),
  requestedQuantity: purchase.requestedQuantity,
  finalQuantity: purchase.finalQuantity ?? null,
  transactionHash: purchase.transactionHash ?? null,
  owedDeposit: purchase.owedDeposit,
  adminNotes: purchase.adminNotes ?? null,
  deposits: deposits.map(recordOfDeposit),
})

export const recordOfDeposit = (deposit: Deposit) => ({
  id: deposit.id,
  transactionHash: deposit.transactionHash,
  amount: formatAmount(deposit.amount),
  state: deposit.state,
  reviewReason: deposit.reviewReason ?? null,
  purchaseId: deposit.purchase?.id ?? null,
  refundHash: deposit.refundHash ?? null,
  refundOrdinal: deposit.refundOrdinal ?? null,
  notes: deposit.notes ?? null,
})
