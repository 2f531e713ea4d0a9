import type { EntityManager } from '@mikro-orm/postgresql'
import type { PasskeyAnswer, RequestOptions } from '#shared/contract/passkeys.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import { findKnownDevice, rememberDevice } from '#api/accounts/devices/knownDevices.ts'
import { decryptSecret } from '#api/accounts/otp/encryptSecret.ts'
import { codeRefusal, consumeCode } from '#api/accounts/otp/consumeCode.ts'
import { otpNotEnabled } from '#api/accounts/otp/verifyOtp.ts'
import { checkPasskey } from '#api/accounts/passkeys/checkPasskey.ts'
import { offerPasskeys } from '#api/accounts/passkeys/offerPasskeys.ts'
import type { Services } from '#api/platform/services.ts'
import { auditFailedLogin } from './auditFailedLogin.ts'

const loginExpired = () => refusal(403, 'login_expired', 'Your login has expired. Please log in again.')

export interface HalfLoginStep {
  /** Undefined for a browser without a session. */
  sessionKey: string | undefined
  /** The browser's token; this login makes the browser a known device. */
  browserToken: string
  clientAddress: string
  /** Real time. */
  now: Date
}

interface HalfLogin {
  id: string
  administrator: string
  epoch: number
  username: string
  otpSecret: string | null
}

type Answer = DomainError | { id: string; epoch: number }

/**
 * Completes the half-login of this session with a code of the authenticator. It returns a refusal instead of throwing it, so that
 * a wrong code counts: against the half-login's five tries and against the account's (money.md 34).
 */
export async function completeHalfLogin(
  em: EntityManager,
  { token, encryptionKey, ...step }: HalfLoginStep & { token: string; encryptionKey: string },
): Promise<Answer> {
  const { browserToken, now } = step
  const half = await takeTry(em, step)
  if (!half) return loginExpired()
  const { administrator: id, username, otpSecret: storedSecret } = half
  // Codes are switched off.
  if (!storedSecret) return otpNotEnabled()

  const device = await findKnownDevice(em, { realm: 'admin', name: username, browserToken })
  const secret = decryptSecret(storedSecret, { encryptionKey, owner: id })
  const code = await consumeCode(em, { account: { realm: 'admin', id }, device, secret, storedSecret, token, now })
  if (code.outcome === 'spent') return complete(em, { half, ...step, hasShownCode: true })
  const wrong = 'Invalid verification code. Please try again.'
  return refuse(em, { half, ...step, error: codeRefusal(code, { wrong, now }) })
}

/**
 * Completes the half-login of this session with a passkey of the account. Tries count as for codes, except that they never lock the
 * account: a signature cannot be guessed.
 */
export async function completeHalfLoginByPasskey(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { answer, ...step }: HalfLoginStep & { answer: PasskeyAnswer },
): Promise<Answer> {
  const half = await takeTry(em, step)
  if (!half) return loginExpired()
  const scope = { realm: 'admin', purpose: 'login', accountId: half.administrator } as const
  const checked = await checkPasskey(em, services, { ...scope, ...step, answer })
  if (checked instanceof DomainError) return refuse(em, { half, ...step, error: checked })
  return complete(em, { half, ...step, hasShownCode: false })
}

/** A challenge for the passkeys of the half-login's account. @throws 403 `login_expired`, 409 `passkey_unknown`. */
export async function offerPasskeysAfterPassword(
  em: EntityManager,
  { config }: Pick<Services, 'config'>,
  { sessionKey, now }: Pick<HalfLoginStep, 'sessionKey' | 'now'>,
): Promise<RequestOptions> {
  const half = await query(em)
    .selectFrom('half_logins as h')
    .innerJoin('administrators as a', (join) =>
      join.onRef('a.id', '=', 'h.administrator').onRef('a.sessionEpoch', '=', 'h.epoch'),
    )
    .select('h.administrator as accountId')
    .where('h.sessionKey', '=', sessionKey ?? null)
    .where('h.consumedAt', 'is', null)
    .where('h.triesLeft', '>', 0)
    .where('h.expiresAt', '>', now)
    .executeTakeFirst()
  if (!half || sessionKey === undefined) throw loginExpired()
  return offerPasskeys(em, config, { realm: 'admin', purpose: 'login', accountId: half.accountId, sessionKey, now })
}

/** The lock serializes concurrent tries. A changed password has raised the epoch. */
const takeTry = (em: EntityManager, { sessionKey, now }: HalfLoginStep): Promise<HalfLogin | undefined> =>
  query(em)
    .updateTable('half_logins')
    .from('administrators as a')
    .set((eb) => ({ triesLeft: eb('half_logins.triesLeft', '-', 1) }))
    .where('half_logins.sessionKey', '=', sessionKey ?? null)
    .where('half_logins.consumedAt', 'is', null)
    .where('half_logins.triesLeft', '>', 0)
    .where('half_logins.expiresAt', '>', now)
    .whereRef('a.id', '=', 'half_logins.administrator')
    .whereRef('a.sessionEpoch', '=', 'half_logins.epoch')
    .returning(['half_logins.id', 'half_logins.administrator', 'half_logins.epoch', 'a.username', 'a.otpSecret'])
    .executeTakeFirst()

function refuse(
  em: EntityManager,
  { half, error, clientAddress }: { half: HalfLogin; error: DomainError } & HalfLoginStep,
): DomainError {
  auditFailedLogin(em, { username: half.username, clientAddress, error })
  return error
}

async function complete(
  em: EntityManager,
  { half, browserToken, hasShownCode, clientAddress, now }: { half: HalfLogin; hasShownCode: boolean } & HalfLoginStep,
): Promise<{ id: string; epoch: number }> {
  const { administrator: id, epoch, username } = half
  await query(em).updateTable('half_logins').set({ consumedAt: now }).where('id', '=', half.id).execute()
  await rememberDevice(em, { realm: 'admin', accountId: id, browserToken, hasShownCode, now })
  recordAudit(em, {
    actor: `admin:${username}`,
    action: 'admin.login',
    target: username,
    ipAddress: clientAddress,
    ...(!hasShownCode && { after: { by: 'passkey' } }),
  })
  return { id, epoch }
}
