import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { DomainError } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import { checkMailedCode } from './checkMailedCode.ts'
import type { MailedCode } from './hashEmailCode.ts'

/** How long a verified address waits for its account. */
const MARK_LIFE = 30 * MINUTE

export interface ShownCode extends MailedCode {
  /** Begins a session if there is none yet: who only guesses is given none. */
  drawSessionKey: () => string
  /** Real time. */
  now: Date
}

/**
 * Marks an address as verified for this session, for the code that was mailed to it. Answers a refusal instead of throwing it, so
 * that a wrong try counts.
 */
export async function verifySignUpCode(
  em: EntityManager,
  services: Pick<Services, 'config' | 'limits'>,
  { email, code, drawSessionKey, now }: ShownCode,
): Promise<DomainError | undefined> {
  const checked = await checkMailedCode(em, services, { email, code, purpose: 'register', now })
  if (checked instanceof DomainError) return checked
  await query(em).updateTable('email_codes').set({ usedAt: now }).where('id', '=', checked.codeId).execute()
  await query(em)
    .insertInto('verified_emails')
    .values({ id: newId(), sessionKey: drawSessionKey(), email, expiresAt: new Date(now.getTime() + MARK_LIFE) })
    .execute()
  return undefined
}
