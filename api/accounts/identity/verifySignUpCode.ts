import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { DomainError } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import { checkMailedCode } from './checkMailedCode.ts'
import type { MailedCode } from './hashEmailCode.ts'

/** How long a verified address may be used for sign-up. */
const MARK_LIFETIME = 30 * MINUTE

export interface ShownCode extends MailedCode {
  /** Begins a session if there is none. Not called for a wrong code, so that guesses create no sessions. */
  getSessionKey: () => string
  /** Real time. */
  now: Date
}

/**
 * Marks an address as verified for this session, if the emailed code is correct. It returns a refusal instead of throwing it, so
 * that a wrong try counts.
 */
export async function verifySignUpCode(
  em: EntityManager,
  services: Pick<Services, 'config' | 'limits'>,
  { email, code, getSessionKey, now }: ShownCode,
): Promise<DomainError | undefined> {
  const checked = await checkMailedCode(em, services, { email, code, purpose: 'register', now })
  if (checked instanceof DomainError) return checked
  await query(em).updateTable('email_codes').set({ usedAt: now }).where('id', '=', checked.codeId).execute()
  await query(em)
    .insertInto('verified_emails')
    .values({ id: newId(), sessionKey: getSessionKey(), email, expiresAt: new Date(now.getTime() + MARK_LIFETIME) })
    .execute()
  return undefined
}
