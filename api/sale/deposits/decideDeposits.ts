import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { recordOfDeposit } from '../purchases/decidePurchase.ts'
import { lockForDecision } from '../purchases/lockForDecision.ts'
import { releaseUnpaid } from '../purchases/releaseUnpaid.ts'
import { depositClosed, depositUnknown, sendersDiffer } from './errors.ts'

export interface DepositDecision {
  /** Deposits of one sender. */
  ids: readonly string[]
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

/** Deposits that wait, the purchase that was named, and what is attached to that. All locked. */
export interface ReviewedDeposits {
  deposits: Deposit[]
  purchase: Purchase | undefined
  attached: Deposit[]
  /** The purchase that a deposit waited with. */
  formerOf(deposit: Deposit): Purchase | undefined
}

/** What the audit log keeps of a decision on one deposit. */
type Facts = Record<string, unknown>

/**
 * Lets an administrator decide, once, on deposits of one sender that wait, and writes down what each was before and after. A purchase that
 * one waited with gives back what it holds if that is no longer paid for.
 *
 * @param work answers what the audit log keeps, of each deposit.
 * @throws 404; 409 `deposit_closed`, `request_in_progress`; whatever `work` refuses: then none of them is decided.
 */
export async function decideDeposits(
  em: EntityManager,
  { ids, action, states = ['review'], actor, clientAddress, note, purchaseId }: DepositDecision,
  work: (reviewed: ReviewedDeposits) => Promise<readonly Facts[] | void>,
): Promise<void> {
  const known = await query(em)
    .selectFrom('deposits')
    .select('purchase')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  if (known.length < new Set(ids).size) throw depositUnknown()
  const purchaseIds = new Set([...known.map(({ purchase }) => purchase), purchaseId].filter((id) => typeof id === 'string'))
  const locked = await lockForDecision(em, { depositIds: ids, purchaseIds: [...purchaseIds] })
  const deposits = locked.deposits.filter(({ id }) => ids.includes(id))
  for (const { state } of deposits) if (!states.includes(state)) throw depositClosed(state)
  if (new Set(deposits.map(({ sender }) => sender)).size > 1) throw sendersDiffer()
  const before = deposits.map(recordOfDeposit)
  const formerOf = ({ purchase }: Deposit) => (purchase ? locked.purchases.get(purchase.id) : undefined)
  const formers = new Set(deposits.flatMap((deposit) => formerOf(deposit) ?? []))

  for (const deposit of deposits) deposit.notes = [deposit.notes, note].filter(Boolean).join('\n')
  const facts = await work({
    deposits,
    purchase: purchaseId ? locked.purchases.get(purchaseId) : undefined,
    attached: locked.deposits.filter((row) => !deposits.includes(row) && row.purchase?.id === purchaseId),
    formerOf,
  })
  await em.flush()
  for (const former of formers) await releaseUnpaid(em, former)
  for (const [index, deposit] of deposits.entries())
    recordAudit(em, {
      actor,
      action,
      target: `deposit:${deposit.id}`,
      ipAddress: clientAddress,
      before: before[index]!,
      after: { ...recordOfDeposit(deposit), ...facts?.[index] },
    })
}
