import type { EntityManager } from '@mikro-orm/postgresql'
import { type CreationOptions, creationOptions, type NewPasskey, type Passkey } from '#shared/contract/passkeys.ts'
import { query } from '#api/entities/tables.ts'
import { newId } from '#api/platform/db/newId.ts'
import { DomainError } from '#api/platform/errors.ts'
import { CHALLENGE_LIFE, consumeChallenge, issueChallenge } from './challenges.ts'
import { loadWebAuthn } from './loadWebAuthn.ts'
import { lockOwner, owners, type PasskeyOwner, userHandleOf } from './passkeyOwners.ts'
import { MAX_PASSKEYS, passkeyInvalid, passkeyTaken, tooManyPasskeys } from './refusals.ts'
import { relyingParty, type SiteConfig } from './relyingParty.ts'

/** COSE names of ES256, EdDSA and RS256, which cover every authenticator in use. */
const ALGORITHMS = [-7, -8, -257]

interface Registration {
  owner: PasskeyOwner
  sessionKey: string
  /** Real time. */
  now: Date
}

export interface RegistrationStart extends Registration {
  /** What the browser calls the account when it offers the passkey. */
  accountName: string
  /** Whether it can log in without naming the account first. */
  isDiscoverable: boolean
}

/**
 * Begins to register a passkey of an account; the caller has verified that its owner wants to. It returns a refusal instead of throwing
 * it, so that the confirmation is used up.
 */
export async function beginRegistration(
  em: EntityManager,
  config: SiteConfig,
  { owner, sessionKey, accountName, isDiscoverable, now }: RegistrationStart,
): Promise<DomainError | CreationOptions> {
  const own = await query(em)
    .selectFrom('passkeys')
    .select(['credentialId', 'transports'])
    .where(owners[owner.realm], '=', owner.id)
    .execute()
  if (own.length >= MAX_PASSKEYS) return tooManyPasskeys()
  const site = relyingParty(config)
  const { generateRegistrationOptions } = await loadWebAuthn()
  const options = await generateRegistrationOptions({
    rpName: site.name,
    rpID: site.id,
    userID: userHandleOf(owner.id),
    userName: accountName,
    userDisplayName: accountName,
    challenge: await issueChallenge(em, { realm: owner.realm, accountId: owner.id, purpose: 'register', sessionKey, now }),
    timeout: CHALLENGE_LIFE,
    attestationType: 'none',
    // The same authenticator twice is one passkey less than its owner believes.
    excludeCredentials: own.map(({ credentialId: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: isDiscoverable ? 'required' : 'discouraged', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  return creationOptions.parse(options)
}

export interface RegistrationEnd extends Registration {
  name: string
  passkey: NewPasskey
}

/**
 * Stores a passkey that has signed its registration. It returns a refusal instead of throwing it, so that the challenge is used up.
 */
export async function finishRegistration(
  em: EntityManager,
  config: SiteConfig,
  { owner, sessionKey, name, passkey, now }: RegistrationEnd,
): Promise<DomainError | Passkey> {
  const { clientDataJSON } = passkey.response
  const scope = { realm: owner.realm, accountId: owner.id, purpose: 'register', sessionKey, now } as const
  const signed = await consumeChallenge(em, { ...scope, clientDataJSON })
  if (signed instanceof DomainError) return signed
  const site = relyingParty(config)
  const { verifyRegistrationResponse } = await loadWebAuthn()
  // The library throws for every part that is wrong.
  const { verified, registrationInfo: info } = await verifyRegistrationResponse({
    response: { ...passkey, clientExtensionResults: {}, response: { ...passkey.response, transports: [] } },
    expectedChallenge: signed.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => ({ verified: false as const, registrationInfo: undefined }))
  if (!verified || !info) return passkeyInvalid()

  await lockOwner(em, owner)
  const { credential } = info
  const count = await query(em)
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(owners[owner.realm], '=', owner.id)
    .executeTakeFirstOrThrow()
  if (count.count >= MAX_PASSKEYS) return tooManyPasskeys()
  const stored = await query(em)
    .insertInto('passkeys')
    .values({
      id: newId(),
      [owners[owner.realm]]: owner.id,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: passkey.response.transports ?? [],
      canBeSynced: info.credentialDeviceType === 'multiDevice',
      isSynced: info.credentialBackedUp,
      name,
      createdAt: now,
    })
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .returning(['id', 'isSynced'])
    .executeTakeFirst()
  if (!stored) return passkeyTaken()
  return { ...stored, name, createdAt: now, lastUsedAt: null, isDisabled: false }
}
