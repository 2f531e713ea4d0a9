import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import type { Objection } from '#shared/objections.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { readAmountDue } from './amountDue.ts'
import { paymentArriving, purchaseClosed, purchaseUnknown } from './errors.ts'
import { lockForDecision, type LockedRows } from './lockForDecision.ts'
import { withOverridden } from './objections.ts'
import { releaseUnpaid } from './releaseUnpaid.ts'

export interface PurchaseDecision {
  id: string
  /** The action's name in the audit log. */
  action: 'purchase.approve' | 'purchase.reject' | 'purchase.cancel' | 'purchase.manual_confirm'
  /** The administrator who decides. */
  actor: string
  clientAddress: string
  note: string | undefined
  /** The transaction that the administrator names. */
  hash?: Hash
}

/** An open purchase with its undecided deposits and those of the named transaction. All rows are locked. */
export interface OpenPurchase {
  purchase: Purchase
  deposits: Deposit[]
}

/**
 * Runs an administrator's decision on an open purchase and records its state before and after. Of two concurrent decisions on the same
 * purchase, the second is refused.
 *
 * @param work returns the objections that the administrator overrides.
 * @throws 404; 409 `purchase_closed`, `request_in_progress`; the errors of `work`.
 */
export async function decidePurchase(
  em: EntityManager,
  { id, action, actor, clientAddress, note, hash }: PurchaseDecision,
  work: (open: OpenPurchase) => Promise<readonly Objection[] | void>,
): Promise<void> {
  const { purchase, deposits, others } = await lockOpenPurchase(em, { id, hash })
  const { email } = await em.findOneOrFail(User, purchase.user.id)
  const due = { userEmail: email, amountDue: formatAmount(await readAmountDue(em, purchase)) }
  const before = { ...due, ...recordOfPurchase(purchase, deposits) }
  noteOnPurchase(purchase, note)
  const overridden = (await work({ purchase, deposits })) ?? []
  await em.flush()
  for (const other of others) await releaseUnpaid(em, other)
  recordAudit(em, {
    actor,
    action,
    target: `purchase:${id}`,
    ipAddress: clientAddress,
    before: withOverridden(before, overridden),
    after: { ...due, ...recordOfPurchase(purchase, deposits), ...(hash && { namedTransaction: hash }) },
  })
}

/**
 * Locks an open purchase with what its decision concerns, and the purchases that the deposits of the named transaction are taken from.
 *
 * @throws 404; 409 `purchase_closed`, `request_in_progress`.
 */
export async function lockOpenPurchase(
  em: EntityManager,
  { id, hash }: { id: string; hash?: Hash | undefined },
): Promise<OpenPurchase & { others: Purchase[] }> {
  const locked = await lockDecided(em, { id, hash })
  const purchase = requireOpen(locked.purchases.get(id))
  return {
    purchase,
    deposits: locked.deposits.filter((deposit) => deposit.purchase?.id === id || deposit.transactionHash === hash),
    others: [...locked.purchases.values()].filter((other) => other !== purchase),
  }
}

/**
 * Locks a purchase, its deposits, those of the named transaction, and the purchases that these are attached to and then taken from.
 *
 * @throws 409 `request_in_progress`.
 */
async function lockDecided(em: EntityManager, { id, hash }: { id: string; hash?: Hash | undefined }): Promise<LockedRows> {
  const others = hash ? await findPurchasesOf(em, hash) : []
  return lockForDecision(em, { purchaseIds: [...new Set([id, ...others])], ...(hash && { hash }) })
}

async function findPurchasesOf(em: EntityManager, hash: Hash): Promise<string[]> {
  const rows = await query(em).selectFrom('deposits').select('purchase').where('transactionHash', '=', hash).execute()
  return rows.flatMap(({ purchase }) => purchase ?? [])
}

/** Whether the purchase is pending or in review, so that payments can complete it. */
export const isOpen = (purchase: Purchase | undefined): boolean =>
  purchase?.status === 'pending' || purchase?.status === 'manual_review'

/** @throws 404; 409 `purchase_closed` unless the purchase is pending or in review. */
export function requireOpen(purchase: Purchase | undefined): Purchase {
  if (!purchase) throw purchaseUnknown()
  if (!isOpen(purchase)) throw purchaseClosed(purchase.status)
  return purchase
}

/**
 * Refuses to book payments for a purchase while another one of its wallet is not final, which would buy nodes again.
 *
 * @throws 409 `request_in_progress`.
 */
export function requireNoneArriving(purchase: Purchase, deposits: readonly Deposit[]): void {
  const isArriving = ({ state, blockNumber, sender }: Deposit) =>
    state === 'seen' && blockNumber !== null && sender === purchase.wallet
  if (deposits.some(isArriving)) throw paymentArriving()
}

/** Adds a line to the administrators' notes. */
export function noteOnPurchase(purchase: Purchase, note: string | undefined): void {
  if (note) purchase.adminNotes = [purchase.adminNotes, note].filter(Boolean).join('\n')
}

/** The audit log's record of a purchase and its deposits. */
export const recordOfPurchase = (purchase: Purchase, deposits: readonly Deposit[]) => ({
  status: purchase.status,
  result: purchase.result,
  wallet: purchase.wallet ?? null,
  amount: formatAmount(purchase.amount),
  requestedQuantity: purchase.requestedQuantity,
  finalQuantity: purchase.finalQuantity ?? null,
  transactionHash: purchase.transactionHash ?? null,
  owedDeposit: purchase.owedDeposit,
  confirmedAgainstChain: purchase.confirmedAgainstChain,
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
