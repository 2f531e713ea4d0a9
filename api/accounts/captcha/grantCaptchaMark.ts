import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '#api/platform/db/newId.ts'
import { hashToken } from '#api/platform/hashToken.ts'
import { query } from '#api/entities/tables.ts'
import { captchaFailed } from './verifyCaptcha.ts'

/** Marks a session for a solved captcha. @throws 400 `captcha_failed` if the captcha was used before, in any session. */
export async function grantCaptchaMark(
  em: EntityManager,
  { sessionKey, solved, now }: { sessionKey: string; solved: string; now: Date },
): Promise<void> {
  const mark = await query(em)
    .insertInto('captcha_marks')
    .values({ id: newId(), sessionKey, tokenHash: hashToken(solved), grantedAt: now })
    .onConflict((conflict) => conflict.column('tokenHash').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!mark) throw captchaFailed()
}
