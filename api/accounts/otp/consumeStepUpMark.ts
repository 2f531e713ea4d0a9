import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'

/** How long after its code a mark still allows this. */
export const stepUpWindows = { purchase: 30 * MINUTE, withdrawal: 10 * MINUTE, recovery_codes: 10 * MINUTE }
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
 * Uses up a mark of the session, in the transaction of what it allows. Two requests that ask for the last one wait for each other,
 * and one of them gets it.
 *
 * @throws 403 `otp_required` if there is none.
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

/** Whether the session has a mark to use up. Only tells; another request may be quicker. */
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
