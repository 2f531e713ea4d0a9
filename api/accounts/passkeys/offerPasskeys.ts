import type { EntityManager } from '@mikro-orm/postgresql'
import { type RequestOptions, requestOptions } from '#shared/contract/passkeys.ts'
import { query } from '#api/entities/tables.ts'
import { CHALLENGE_LIFE, type ChallengeScope, issueChallenge } from './challenges.ts'
import { loadWebAuthn } from './loadWebAuthn.ts'
import { owners } from './passkeyOwners.ts'
import { passkeyUnknown } from './refusals.ts'
import { relyingParty, type SiteConfig } from './relyingParty.ts'

/**
 * A challenge for a passkey: of the given account, or of any that the browser has for this site, which reveals nothing about accounts.
 *
 * @throws 400 `passkey_unknown` if the account has none.
 */
export async function offerPasskeys(em: EntityManager, config: SiteConfig, scope: ChallengeScope): Promise<RequestOptions> {
  const { accountId, realm } = scope
  const own = accountId
    ? await query(em)
        .selectFrom('passkeys')
        .select(['credentialId', 'transports'])
        .where(owners[realm], '=', accountId)
        .where('disabledAt', 'is', null)
        .execute()
    : []
  if (accountId && own.length === 0) throw passkeyUnknown()
  const { generateAuthenticationOptions } = await loadWebAuthn()
  const { allowCredentials, ...options } = await generateAuthenticationOptions({
    rpID: relyingParty(config).id,
    challenge: await issueChallenge(em, scope),
    timeout: CHALLENGE_LIFE,
    userVerification: 'required',
    ...(accountId && {
      allowCredentials: own.map(({ credentialId: id, transports }) => ({ id, transports })),
    }),
  })
  return requestOptions.parse({ ...options, ...(allowCredentials && { allowCredentials }) })
}
