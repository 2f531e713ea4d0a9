import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'

/** How long a solved captcha may be used. */
const MARK_LIFETIME = 10 * MINUTE

export interface CaptchaDemand {
  /** Undefined for a caller without a session. */
  sessionKey: string | undefined
  /** Real time. */
  now: Date
}

/** Consumes a solved captcha of the session. @throws 403 `captcha_required` if it has none. */
export async function requireCaptcha(em: EntityManager, { sessionKey, now }: CaptchaDemand): Promise<void> {
  const mark =
    sessionKey === undefined
      ? undefined
      : await query(em)
          .updateTable('captcha_marks')
          .set({ consumedAt: now })
          .where('consumedAt', 'is', null)
          .where('id', '=', (eb) =>
            eb
              .selectFrom('captcha_marks')
              .select('id')
              .where('sessionKey', '=', sessionKey)
              .where('consumedAt', 'is', null)
              .where('grantedAt', '>', new Date(now.getTime() - MARK_LIFETIME))
              .orderBy('grantedAt')
              .limit(1)
              .forUpdate(),
          )
          .returning('id')
          .executeTakeFirst()
  if (!mark) throw refusal(403, 'captcha_required', 'Please complete the verification first.')
}
