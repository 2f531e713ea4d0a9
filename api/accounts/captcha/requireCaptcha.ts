import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { refusal } from '#api/platform/errors.ts'

/** How long a solved captcha waits for the call that needs it. */
const MARK_LIFE = 10 * MINUTE

export interface CaptchaDemand {
  /** Undefined for a caller without a session. */
  sessionKey: string | undefined
  /** Real time. */
  now: Date
}

/** Uses up a captcha of the session. @throws 403 `captcha_required` if it has none. */
export async function requireCaptcha(em: EntityManager, { sessionKey, now }: CaptchaDemand): Promise<void> {
  const rows =
    sessionKey === undefined
      ? []
      : await sql(
          em,
          `update captcha_marks set consumed_at = $2 where consumed_at is null and id = (
             select id from captcha_marks where session_key = $1 and consumed_at is null and granted_at > $3
             order by granted_at limit 1 for update
           ) returning id`,
          [sessionKey, now, new Date(now.getTime() - MARK_LIFE)],
        )
  if (rows.length === 0) throw refusal(403, 'captcha_required', 'Please complete the verification first.')
}
