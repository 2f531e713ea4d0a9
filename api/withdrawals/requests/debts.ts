import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import type { Services } from '#api/platform/services.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'

/** The account's open debt; 0 if there is none. */
export async function readOwed(em: EntityManager, userId: string): Promise<bigint> {
  const { owed } = await query(em)
    .selectFrom('debts')
    .select((eb) => eb.fn.sum<bigint | null>('owed').as('owed'))
    .where('user', '=', userId)
    .where('closedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return owed ?? 0n
}

/**
 * Credits the account with the part of a payment that exceeds its balance, and records it as a debt. The caller has locked the account.
 *
 * @param date the withdrawal's date, used for every entry of the debt (money.md 21).
 */
export async function openDebt(
  em: EntityManager,
  { config, jobs, clock }: Pick<Services, 'config' | 'jobs' | 'clock'>,
  { withdrawalId, userId, amount, date }: { withdrawalId: string; userId: string; amount: bigint; date: string },
): Promise<void> {
  const owner = await query(em)
    .selectFrom('users')
    .select(['email', 'language'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  await notifyOwner(
    em,
    { config, jobs },
    {
      to: { id: userId, ...owner },
      topic: 'withdrawals',
      cause: `debt_opened:${withdrawalId}`,
      link: '/history',
      subject: sentence('Your account still owes {amount} XCR', { amount: formatAmount(amount, { grouped: true }) }),
      paragraphs: [
        'A withdrawal paid to your wallet exceeded your balance. Your daily rewards pay off the rest. You can withdraw again after that.',
        'If you think this is wrong, please contact us.',
      ],
      facts: [['Withdrawal', withdrawalId]],
    },
  )
  await query(em)
    .insertInto('accounts')
    .values({ id: houseAccounts.debts, kind: 'debts', mayGoNegative: true })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await query(em)
    .insertInto('debts')
    .values({ id: newId(), withdrawal: withdrawalId, user: userId, amount, owed: amount, openedAt: clock.now() })
    .execute()
  await moveXcr(em, [{ from: houseAccounts.debts, to: userId, amount, cause: `debt:${withdrawalId}`, date }])
}

/** Collects open debts from balances that have grown since, for example by rewards. */
export const settleDebts: Sweep<'clock' | 'orm'> = {
  name: 'settle-debts',
  everySeconds: 60,
  async run({ orm, clock }) {
    const due = await query(orm.em.fork())
      .selectFrom('debts as d')
      .innerJoin('accounts as a', 'a.id', 'd.user')
      .select('d.id')
      .where('d.closedAt', 'is', null)
      .where('a.balance', '>', 0n)
      .orderBy('d.id')
      .execute()
    for (const { id } of due) await orm.em.fork().transactional((em) => settleDebt(em, { id, now: clock.now() }))
  },
}

/** Locks the debt, then the account. */
async function settleDebt(em: EntityManager, { id, now }: { id: string; now: Date }): Promise<void> {
  const debt = await query(em)
    .selectFrom('debts as d')
    .innerJoin('withdrawals as w', 'w.id', 'd.withdrawal')
    .innerJoin('users as u', 'u.id', 'd.user')
    .select(['d.withdrawal', 'd.user', 'u.email', 'd.owed', 'w.createdAt'])
    .where('d.id', '=', id)
    .where('d.closedAt', 'is', null)
    .forUpdate('d')
    .skipLocked()
    .executeTakeFirst()
  if (!debt) return
  const { withdrawal, user, email, owed, createdAt } = debt
  const account = await query(em).selectFrom('accounts').select('balance').where('id', '=', user).forUpdate().executeTakeFirst()
  const balance = account?.balance ?? 0n
  const amount = balance < owed ? balance : owed
  if (amount === 0n) return
  await query(em)
    .updateTable('debts')
    .set((eb) => ({ owed: eb('owed', '-', amount), closedAt: amount === owed ? now : null }))
    .where('id', '=', id)
    .execute()
  if (amount === owed) recordAudit(em, { actor: 'system', action: 'debt.settle', target: `user:${email}`, after: { withdrawal } })
  await recordWithdrawalChanges(em, [user])
  // The amount owed before this payment makes its cause unique.
  await moveXcr(em, [
    {
      from: user,
      to: houseAccounts.debts,
      amount,
      cause: `debt-paid:${withdrawal}:${owed}`,
      date: utcDay(createdAt),
    },
  ])
}

/** Closes an account's debts at an operator's decision. @returns the amount forgiven; undefined if there was no debt. */
export async function forgiveDebts(
  em: EntityManager,
  { email, actor, reason, now }: { email: string; actor: string; reason: string; now: Date },
): Promise<string | undefined> {
  const rows = await query(em)
    .updateTable('debts')
    .from('users')
    .set({ closedAt: now })
    .whereRef('users.id', '=', 'debts.user')
    .where('users.email', '=', email)
    .where('debts.closedAt', 'is', null)
    .returning(['debts.withdrawal', 'debts.owed'])
    .execute()
  if (rows.length === 0) return undefined
  const amount = formatAmount(rows.reduce((sum, { owed }) => sum + owed, 0n))
  recordAudit(em, {
    actor,
    action: 'debt.forgive',
    target: `user:${email}`,
    after: { reason, amount, withdrawals: rows.map(({ withdrawal }) => withdrawal) },
  })
  return amount
}
