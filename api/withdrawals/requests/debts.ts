import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { mailOwner } from '#api/platform/mail/mailOwner.ts'
import type { Reader } from '#api/platform/mail/Reader.ts'
import { say } from '#api/platform/mail/say.ts'
import type { Services } from '#api/platform/services.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'

/** SQL that is true of a withdrawal `w` whose account owes something. */
export const OWES = `exists (select from debts d where d.user_id = w.user_id and d.closed_at is null)`

/** What the account owes; 0 if nothing. */
export async function readOwed(em: EntityManager, userId: string): Promise<bigint> {
  const [row] = await sql<{ owed: string }>(
    em,
    'select coalesce(sum(owed), 0) as owed from debts where user_id = $1 and closed_at is null',
    [userId],
  )
  return BigInt(row!.owed)
}

/**
 * Lends an account what a payment has taken beyond its balance, and writes down that it owes it. The caller has locked the account.
 *
 * @param date that of the withdrawal, for every entry of the debt (money.md 21).
 */
export async function openDebt(
  em: EntityManager,
  { config, jobs, clock }: Pick<Services, 'config' | 'jobs' | 'clock'>,
  { withdrawalId, userId, amount, date }: { withdrawalId: string; userId: string; amount: bigint; date: string },
): Promise<void> {
  const [owner] = await sql<Reader>(em, 'select email, language from users where id = $1', [userId])
  await mailOwner(
    em,
    { config, jobs },
    {
      to: owner!,
      subject: say('{amount} XCR of your account are still owed', { amount: formatAmount(amount, { grouped: true }) }),
      paragraphs: [
        'A withdrawal was paid to your wallet that your balance does not cover. Your daily rewards pay the rest off. You can withdraw again after that.',
        'If you think that this is wrong, please write to us.',
      ],
      facts: [['Withdrawal', withdrawalId]],
    },
  )
  await sql(em, `insert into accounts (id, kind, may_go_negative) values ($1, 'debts', true) on conflict do nothing`, [
    houseAccounts.debts,
  ])
  await sql(em, 'insert into debts (id, withdrawal_id, user_id, amount, owed, opened_at) values ($1, $2, $3, $4, $4, $5)', [
    newId(),
    withdrawalId,
    userId,
    amount.toString(),
    clock.now(),
  ])
  await moveXcr(em, [{ from: houseAccounts.debts, to: userId, amount, cause: `debt:${withdrawalId}`, date }])
}

/** Takes what accounts owe from what they have received since, such as their rewards. */
export const settleDebts: Sweep<'clock' | 'orm'> = {
  name: 'settle-debts',
  everySeconds: 60,
  async run({ orm, clock }) {
    const due = await sql<{ id: string }>(
      orm.em.fork(),
      'select d.id from debts d join accounts a on a.id = d.user_id where closed_at is null and balance > 0 order by d.id',
    )
    for (const { id } of due) await orm.em.fork().transactional((em) => settleDebt(em, { id, now: clock.now() }))
  },
}

/** Locks the debt, then the account. */
async function settleDebt(em: EntityManager, { id, now }: { id: string; now: Date }): Promise<void> {
  const [debt] = await sql<{ withdrawal_id: string; user_id: string; email: string; owed: string; created_at: string }>(
    em,
    `select withdrawal_id, d.user_id, email, owed, w.created_at
     from debts d join withdrawals w on w.id = withdrawal_id join users u on u.id = d.user_id
     where d.id = $1 and closed_at is null for update of d skip locked`,
    [id],
  )
  if (!debt) return
  const { withdrawal_id, user_id, email, created_at } = debt
  const owed = BigInt(debt.owed)
  const [account] = await sql<{ balance: string }>(em, 'select balance from accounts where id = $1 for update', [user_id])
  const balance = BigInt(account?.balance ?? 0)
  const amount = balance < owed ? balance : owed
  if (amount === 0n) return
  await sql(em, 'update debts set owed = owed - $2, closed_at = case when owed = $2 then $3::timestamptz end where id = $1', [
    id,
    amount.toString(),
    now,
  ])
  if (amount === owed)
    recordAudit(em, { actor: 'system', action: 'debt.settle', target: `user:${email}`, after: { withdrawal: withdrawal_id } })
  await recordWithdrawalChanges(em, [user_id])
  // What is owed before it tells one payment from the next.
  await moveXcr(em, [
    {
      from: user_id,
      to: houseAccounts.debts,
      amount,
      cause: `debt-paid:${withdrawal_id}:${owed}`,
      date: utcDay(new Date(created_at)),
    },
  ])
}

/** Closes what an account owes, because a person has decided so. @returns how much was forgiven; undefined if nothing was owed. */
export async function forgiveDebts(
  em: EntityManager,
  { email, actor, reason, now }: { email: string; actor: string; reason: string; now: Date },
): Promise<string | undefined> {
  const rows = await sql<{ withdrawal_id: string; owed: string }>(
    em,
    `update debts d set closed_at = $2 from users u where u.id = user_id and email = $1 and closed_at is null
     returning withdrawal_id, owed`,
    [email, now],
  )
  if (rows.length === 0) return undefined
  const amount = formatAmount(rows.reduce((sum, { owed }) => sum + BigInt(owed), 0n))
  recordAudit(em, {
    actor,
    action: 'debt.forgive',
    target: `user:${email}`,
    after: { reason, amount, withdrawals: rows.map(({ withdrawal_id }) => withdrawal_id) },
  })
  return amount
}
