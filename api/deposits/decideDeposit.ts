import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '../audit/recordAudit.ts'
import { sql } from '../db/sql.ts'
import type { Deposit } from '../entities/Deposit.ts'
import type { Purchase } from '../entities/Purchase.ts'
import { recordOfDeposit } from '../purchases/decidePurchase.ts'
import { lockForDecision } from '../purchases/lockForDecision.ts'
import { releaseUnpaid } from '../purchases/releaseUnpaid.ts'
import { depositClosed, depositUnknown } from './errors.ts'

export interface DepositDecision {
  id: string
  /** As it is written in the audit log. */
  action: 'deposit.assign' | 'deposit.refunded' | 'deposit.ignore' | 'deposit.restore'
  /** Who decides. */
  actor: string
  clientAddress: string
  note: string
  /** States that wait for a person. */
  states?: readonly Deposit['state'][]
  /** The purchase that it shall pay for. */
  purchaseId?: string | undefined
}

/** A deposit that waits, with the purchase that it is of, the one that was named, and what is attached to that. All locked. */
export interface ReviewedDeposit {
  deposit: Deposit
  former: Purchase | undefined
  purchase: Purchase | undefined
  attached: Deposit[]
}

/**
 * Lets an administrator decide, once, on a deposit that waits, and writes down what it was before and after. A purchase that it waited
 * with gives back what it holds if that is no longer paid for.
 *
 * @throws 404; 409 `deposit_closed`, `request_in_progress`; whatever `work` refuses.
 */
export async function decideDeposit(
  em: EntityManager,
  { id, action, states = ['review'], actor, clientAddress, note, purchaseId }: DepositDecision,
  work: (reviewed: ReviewedDeposit) => Promise<Record<string, unknown> | void>,
): Promise<void> {
  const [known] = await sql<{ purchase_id: string | null }>(em, 'select purchase_id from deposits where id = $1', [id])
  if (!known) throw depositUnknown()
  const purchaseIds = new Set([known.purchase_id, purchaseId].filter((id) => typeof id === 'string'))
  const locked = await lockForDecision(em, { depositId: id, purchaseIds: [...purchaseIds] })
  const deposit = locked.deposits.find((row) => row.id === id)!
  if (!states.includes(deposit.state)) throw depositClosed(deposit.state)
  const before = recordOfDeposit(deposit)
  const former = deposit.purchase ? locked.purchases.get(deposit.purchase.id) : undefined

  deposit.notes = [deposit.notes, note].filter(Boolean).join('\n')
  const facts = await work({
    deposit,
    former,
    purchase: purchaseId ? locked.purchases.get(purchaseId) : undefined,
    attached: locked.deposits.filter((row) => row !== deposit && row.purchase?.id === purchaseId),
  })
  await em.flush()
  if (former) await releaseUnpaid(em, former)
  recordAudit(em, {
    actor,
    action,
    target: `deposit:${id}`,
    ipAddress: clientAddress,
    before,
    after: { ...recordOfDeposit(deposit), ...facts },
  })
}
