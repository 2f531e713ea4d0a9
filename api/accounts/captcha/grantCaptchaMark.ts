import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { captchaFailed } from './verifyCaptcha.ts'

/** Marks a session for a solved captcha. @throws 400 `captcha_failed` if it was shown before, in whatever session. */
export async function grantCaptchaMark(
  em: EntityManager,
  { sessionKey, solved, now }: { sessionKey: string; solved: string; now: Date },
): Promise<void> {
  const rows = await sql(
    em,
    `insert into captcha_marks (id, session_key, token_hash, granted_at) values ($1, $2, $3, $4)
     on conflict (token_hash) do nothing returning id`,
    [newId(), sessionKey, createHash('sha256').update(solved).digest('hex'), now],
  )
  if (rows.length === 0) throw captchaFailed()
}
