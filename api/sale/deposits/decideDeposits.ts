import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { listPayments } from '#shared/contract/purchases.ts'
import type { Objection } from '#shared/objections.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { recordChange, recordChanges } from '#api/platform/events/recordChange.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { recordOfDeposit } from '../purchases/decidePurchase.ts'
import { lockForDecision } from '../purchases/lockForDecision.ts'
import { withOverridden } from '../purchases/objections.ts'
import { releaseUnpaid } from '../purchases/releaseUnpaid.ts'
import { depositClosed, depositUnknown, sendersDiffer } from './errors.ts'

export interface DepositDecision {
  /** Deposits of one sender. */
  ids: readonly string[]
  /** The action's name in the audit log. */
  action: 'deposit.assign' | 'deposit.refunded' | 'deposit.ignore' | 'deposit.restore'
  /** The administrator who decides. */
  actor: string
  clientAddress: string
  note: string
  /** The states that the decision applies to, by default only `review`. */
  states?: readonly Deposit['state'][] | undefined
  /** The purchase that the deposits are assigned to. */
  purchaseId?: string | undefined
}

/** The deposits to decide on, the named purchase, and the other deposits attached to it. All rows are locked. */
export interface ReviewedDeposits {
  deposits: Deposit[]
  purchase: Purchase | undefined
  attached: Deposit[]
  /** The purchase that a deposit was attached to. */
  formerOf(deposit: Deposit): Purchase | undefined
}

/** What a decision adds to the audit log. */
export interface Decided {
  /** Of each deposit. */
  details?: readonly Record<string, unknown>[]
  overridden?: readonly Objection[]
}

/**
 * Locks what a decision on deposits may change.
 *
 * @throws 404; 409 `deposit_closed`, `request_in_progress`.
 */
export async function lockReviewed(
  em: EntityManager,
  { ids, states = ['review'], purchaseId }: Pick<DepositDecision, 'ids' | 'states' | 'purchaseId'>,
): Promise<ReviewedDeposits> {
  const rows = await query(em)
    .selectFrom('deposits')
    .select('purchase')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  if (rows.length < new Set(ids).size) throw depositUnknown()
  const purchaseIds = new Set([...rows.map(({ purchase }) => purchase), purchaseId].filter((id) => typeof id === 'string'))
  const locked = await lockForDecision(em, { depositIds: ids, purchaseIds: [...purchaseIds] })
  const deposits = locked.deposits.filter(({ id }) => ids.includes(id))
  for (const { state } of deposits) if (!states.includes(state)) throw depositClosed(state)
  if (new Set(deposits.map(({ sender }) => sender)).size > 1) throw sendersDiffer()
  return {
    deposits,
    purchase: purchaseId ? locked.purchases.get(purchaseId) : undefined,
    attached: locked.deposits.filter((row) => !deposits.includes(row) && row.purchase?.id === purchaseId),
    formerOf: ({ purchase }) => (purchase ? locked.purchases.get(purchase.id) : undefined),
  }
}

/**
 * Runs an administrator's decision on open deposits of one sender and records the state of each before and after. A purchase that a deposit
 * was attached to releases its supply if it is no longer paid.
 *
 * @throws 404; 409 `deposit_closed`, `request_in_progress`; the errors of `work`. None of the deposits is changed then.
 */
export async function decideDeposits(
  em: EntityManager,
  { ids, action, states, actor, clientAddress, note, purchaseId }: DepositDecision,
  work: (reviewed: ReviewedDeposits) => Promise<Decided | void>,
): Promise<void> {
  const reviewed = await lockReviewed(em, { ids, states, purchaseId })
  const { deposits, formerOf } = reviewed
  const before = deposits.map(recordOfDeposit)
  const formers = new Set(deposits.flatMap((deposit) => formerOf(deposit) ?? []))

  for (const deposit of deposits) deposit.notes = [deposit.notes, note].filter(Boolean).join('\n')
  const { details, overridden = [] } = (await work(reviewed)) ?? {}
  await em.flush()
  for (const former of formers) await releaseUnpaid(em, former)
  await recordChanges(em, { userIds: deposits.flatMap(({ user }) => user?.id ?? []), keys: [listPayments.path] })
  await recordChange(em, { keys: [getWaiting.path] })
  for (const [index, deposit] of deposits.entries())
    recordAudit(em, {
      actor,
      action,
      target: `deposit:${deposit.id}`,
      ipAddress: clientAddress,
      before: withOverridden(before[index]!, index === 0 ? overridden : []),
      after: { ...recordOfDeposit(deposit), ...details?.[index] },
    })
}
