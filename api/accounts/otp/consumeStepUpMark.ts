import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'

/** How long a mark allows each action after the code was shown. */
export const stepUpWindows = {
  purchase: 30 * MINUTE,
  withdrawal: 10 * MINUTE,
  recovery_codes: 10 * MINUTE,
  proof_key: 10 * MINUTE,
  daily_limit: 10 * MINUTE,
  passkey: 10 * MINUTE,
}
type StepUpPurpose = keyof typeof stepUpWindows

export const otpRequired = () => refusal(403, 'otp_required', 'Please verify your authenticator code first.')

export interface StepUp {
  userId: string
  sessionKey: string
  purpose: StepUpPurpose
  /** Real time. */
  now: Date
}

/**
 * Consumes a mark of the session, in the transaction of the allowed action. Of two requests for the last mark, the second waits
 * for the first and then fails.
 *
 * @throws 403 `otp_required` if there is none, or the session has ended.
 */
export async function consumeStepUpMark(em: EntityManager, { userId, sessionKey, purpose, now }: StepUp): Promise<void> {
  const mark = await query(em)
    .updateTable('step_up_marks')
    .set({ consumedAt: now })
    .where('consumedAt', 'is', null)
    .where('id', '=', openMarks(em, { userId, sessionKey, purpose, now }).orderBy('grantedAt').limit(1).forUpdate())
    .returning('id')
    .executeTakeFirst()
  if (!mark) throw otpRequired()
}

/** Whether the session has a mark. Another request may consume it before this one does. */
export const hasStepUpMark = async (em: EntityManager, stepUp: StepUp): Promise<boolean> =>
  (await openMarks(em, stepUp).limit(1).executeTakeFirst()) !== undefined

const openMarks = (em: EntityManager, { userId, sessionKey, purpose, now }: StepUp) =>
  query(em)
    .selectFrom('step_up_marks')
    .select('id')
    .where('user', '=', userId)
    .where('sessionKey', '=', sessionKey)
    .where('consumedAt', 'is', null)
    .where('grantedAt', '>', new Date(now.getTime() - stepUpWindows[purpose]))
    // A request that waited, for example for a chain, may outlive its session.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('web_sessions as w')
          .innerJoin('users as u', 'u.id', 'w.accountId')
          .select('w.key')
          .where('w.accountId', '=', userId)
          .where('w.key', '=', sessionKey)
          .whereRef('w.accountEpoch', '=', 'u.sessionEpoch'),
      ),
    )
