import type { EntityManager } from '@mikro-orm/postgresql'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { MINUTE } from '#shared/dates.ts'
import type { passkeyPurposes } from '#api/entities/PasskeyChallenge.ts'
import { query } from '#api/entities/tables.ts'
import { newId } from '#api/platform/db/newId.ts'
import type { DomainError } from '#api/platform/errors.ts'
import { hashToken } from '#api/platform/hashToken.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'
import { passkeyExpired, passkeyInvalid } from './refusals.ts'

/** How long a passkey may take to sign a challenge. */
export const CHALLENGE_LIFE = 5 * MINUTE

/** What a challenge is for. An answer of another session, account or purpose does not use it up. */
export interface ChallengeScope {
  realm: SessionRealm
  purpose: (typeof passkeyPurposes)[number]
  sessionKey: string
  /** Null where the passkey tells who logs in. */
  accountId: string | null
  /** Real time. */
  now: Date
}

/** Creates and stores a challenge. */
export async function issueChallenge(em: EntityManager, { now, ...scope }: ChallengeScope): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = Buffer.from(randomBytes(32))
  await query(em)
    .insertInto('passkey_challenges')
    .values({
      id: newId(),
      challengeHash: hashToken(challenge.toString('base64url')),
      expiresAt: new Date(now.getTime() + CHALLENGE_LIFE),
      ...scope,
    })
    .execute()
  return challenge
}

export interface ChallengeAnswer extends Omit<ChallengeScope, 'sessionKey'> {
  /** Undefined for a caller without a session, which has no challenge. */
  sessionKey: string | undefined
  clientDataJSON: string
}

/** This site is never in a frame, so a passkey signs nothing for it in one. */
const clientData = z.object({ challenge: z.string().max(200), crossOrigin: z.literal(false).optional() })

/**
 * Uses up the challenge that the browser says was signed. Of two answers at the same time one finds it. It returns a refusal instead of
 * throwing it, so that a challenge is used up by a wrong answer too.
 */
export async function consumeChallenge(
  em: EntityManager,
  { realm, purpose, sessionKey, accountId, now, clientDataJSON }: ChallengeAnswer,
): Promise<DomainError | { challenge: string }> {
  const challenge = readChallenge(clientDataJSON)
  if (challenge === undefined) return passkeyInvalid()
  const used = await query(em)
    .deleteFrom('passkey_challenges')
    .where('challengeHash', '=', hashToken(challenge))
    .where('realm', '=', realm)
    .where('purpose', '=', purpose)
    .where('sessionKey', '=', sessionKey ?? null)
    .where('accountId', 'is not distinct from', accountId)
    .where('expiresAt', '>', now)
    .returning('id')
    .executeTakeFirst()
  return used ? { challenge } : passkeyExpired()
}

/** Read before the library verifies that the passkey has signed it. */
function readChallenge(clientDataJSON: string): string | undefined {
  try {
    return clientData.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))).challenge
  } catch {
    return undefined
  }
}
