import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
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
  const rows = await sql(
    em,
    `update step_up_marks set consumed_at = $3 where consumed_at is null and id = (
       select id from step_up_marks
       where user_id = $1 and session_key = $2 and consumed_at is null and granted_at > $4
       order by granted_at limit 1 for update
     ) returning id`,
    [userId, sessionKey, now, new Date(now.getTime() - stepUpWindows[purpose])],
  )
  if (rows.length === 0) throw otpRequired()
}

/** Whether the session has a mark to use up. Only tells; another request may be quicker. */
export async function hasStepUpMark(em: EntityManager, { userId, sessionKey, purpose, now }: StepUp): Promise<boolean> {
  const rows = await sql(
    em,
    'select from step_up_marks where user_id = $1 and session_key = $2 and consumed_at is null and granted_at > $3 limit 1',
    [userId, sessionKey, new Date(now.getTime() - stepUpWindows[purpose])],
  )
  return rows.length > 0
}
