import type { EntityManager } from '@mikro-orm/postgresql'
import type { PasskeyAnswer } from '#shared/contract/passkeys.ts'
import { query } from '#api/entities/tables.ts'
import { DomainError } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import { type ChallengeAnswer, consumeChallenge } from './challenges.ts'
import { disableCopied } from './disableCopied.ts'
import { loadWebAuthn } from './loadWebAuthn.ts'
import { lockOwner, owners, userHandleOf } from './passkeyOwners.ts'
import { passkeyDisabled, passkeyInvalid, passkeyUnknown } from './refusals.ts'
import { relyingParty } from './relyingParty.ts'

export interface PasskeyCheck extends Omit<ChallengeAnswer, 'clientDataJSON'> {
  answer: PasskeyAnswer
  clientAddress: string
}

/**
 * Verifies what a passkey has signed, including that it verified its user, and uses up the challenge. It returns a refusal instead of
 * throwing it, so that the challenge stays used up. Returns the id of the account.
 */
export async function checkPasskey(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { answer, clientAddress, ...scope }: PasskeyCheck,
): Promise<DomainError | { accountId: string }> {
  const { realm, now } = scope
  const { userHandle, ...signature } = answer.response
  const { clientDataJSON } = signature
  const signed = await consumeChallenge(em, { ...scope, clientDataJSON })
  if (signed instanceof DomainError) return signed
  const accountId = await findPasskeyOwner(em, { realm, credentialId: answer.id })
  if (!accountId || (scope.accountId && scope.accountId !== accountId)) return passkeyUnknown()
  const owner = { realm, id: accountId }
  await lockOwner(em, owner)
  // Read under the lock: it may have been removed or used meanwhile.
  const passkey = await query(em)
    .selectFrom('passkeys')
    .select(['id', 'name', 'publicKey', 'counter', 'disabledAt'])
    .where('credentialId', '=', answer.id)
    .where(owners[realm], '=', accountId)
    .executeTakeFirst()
  if (!passkey) return passkeyUnknown()
  if (userHandle !== undefined && userHandle !== userHandleOf(accountId).toString('base64url')) return passkeyInvalid()

  const site = relyingParty(services.config)
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  // The library throws for every part that is wrong.
  const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
    response: { ...answer, clientExtensionResults: {}, response: signature },
    expectedChallenge: signed.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
    credential: {
      id: answer.id,
      publicKey: Buffer.from(passkey.publicKey, 'base64url'),
      // The library compares the counter before the signature, so anyone who knows the id could have the passkey disabled.
      counter: 0,
    },
  }).catch(() => ({ verified: false as const, authenticationInfo: undefined }))
  if (!verified || !info) return passkeyInvalid()
  if (passkey.disabledAt) return passkeyDisabled()
  const hasCounter = info.newCounter > 0 || passkey.counter > 0
  if (hasCounter && info.newCounter <= passkey.counter) {
    await disableCopied(em, services, { owner, passkey, clientAddress, now })
    return passkeyDisabled()
  }
  await query(em)
    .updateTable('passkeys')
    .set({ counter: info.newCounter, isSynced: info.credentialBackedUp, lastUsedAt: now })
    .where('id', '=', passkey.id)
    .execute()
  return { accountId }
}

/** The account of a passkey; undefined if there is none. */
export async function findPasskeyOwner(
  em: EntityManager,
  { realm, credentialId }: Pick<PasskeyCheck, 'realm'> & { credentialId: string },
): Promise<string | undefined> {
  const passkey = await query(em)
    .selectFrom('passkeys')
    .select(`${owners[realm]} as owner`)
    .where('credentialId', '=', credentialId)
    .executeTakeFirst()
  return passkey?.owner ?? undefined
}
