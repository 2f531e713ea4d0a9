import type { EntityManager } from '@mikro-orm/postgresql'
import type { ProofKeys } from '#shared/contract/register.ts'
import { toBase64 } from '#shared/register/bytes.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { consumeStepUpMark } from '../otp/consumeStepUpMark.ts'
import { isOtpEnabled } from '../otp/isOtpEnabled.ts'
import { otpNotEnabled } from '../otp/verifyOtp.ts'
import { addProofKeys, ensureProofKeys, type ProofServices } from './ensureProofKeys.ts'
import { readIdentities } from './readIdentities.ts'
import { receiptWait } from './receiptMail.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import { requireNotFrozen } from '../users/frozen.ts'

export interface ProofKeyRequest {
  user: Owner
  sessionKey: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/** Shows an owner the proof keys. @throws 403 `otp_required`, 409 `otp_not_enabled`. */
export async function showProofKeys(em: EntityManager, services: ProofServices, request: ProofKeyRequest): Promise<ProofKeys> {
  const { user, clientAddress } = request
  await requireCode(em, request)
  await ensureProofKeys(em, services, [user.id])
  recordAudit(em, { actor: `user:${user.email}`, action: 'proof_key.show', target: user.email, ipAddress: clientAddress })
  return readKeys(em, services, user)
}

/** Replaces the proof key in force. @throws 403 `otp_required`, 409 `otp_not_enabled` or `account_frozen`. */
export async function changeProofKey(em: EntityManager, services: ProofServices, request: ProofKeyRequest): Promise<ProofKeys> {
  const { user, clientAddress, now } = request
  await requireNotFrozen(em, services.clock, user.id)
  await requireCode(em, request)
  await ensureProofKeys(em, services, [user.id])
  const { position } = await query(em)
    .selectFrom('proof_keys')
    .select('position')
    .where('user', '=', user.id)
    .orderBy('position', 'desc')
    .executeTakeFirstOrThrow()
  const mailId = await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your proof key was replaced',
    paragraphs: [
      'Your account has a new proof key. It opens what the public register says about you from now on. Keep your old key for what was published before.',
      "If this wasn't you, change your password and contact us immediately.",
    ],
    facts: [
      ['Time', now],
      ['IP address', clientAddress],
    ],
    wait: receiptWait(services.config),
  })
  await addProofKeys(em, services, [{ userId: user.id, email: user.email, position: position + 1, mailId }])
  recordAudit(em, { actor: `user:${user.email}`, action: 'proof_key.change', target: user.email, ipAddress: clientAddress })
  return readKeys(em, services, user)
}

async function requireCode(em: EntityManager, { user, sessionKey, now }: ProofKeyRequest): Promise<void> {
  if (!(await isOtpEnabled(em, { realm: 'user', id: user.id }))) throw otpNotEnabled()
  await consumeStepUpMark(em, { userId: user.id, sessionKey, purpose: 'proof_key', now })
}

async function readKeys(em: EntityManager, { config }: ProofServices, { id, email }: Owner): Promise<ProofKeys> {
  const identities = await readIdentities(em, config, [id])
  const keys = identities.get(id)!.all.map(({ proofKey }) => toBase64(proofKey))
  return { proofKey: keys.at(-1)!, earlier: keys.slice(0, -1), email }
}
