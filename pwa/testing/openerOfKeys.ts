import { accountHash, daySecret, entrySecret } from '#shared/register/secrets.ts'
import type { Opener } from '#pwa/register/AccountFacts.ts'

/** Opens with the account's keys, the present one and older ones. The page gets single secrets from the server instead. */
export const openerOfKeys = (keys: readonly Uint8Array[]): Opener => ({
  day: (day) => keys.map((key) => daySecret(key, day)),
  entry: (_, body) => keys.map((key) => entrySecret(key, body)),
  accounts: (email) => keys.map((proofKey) => accountHash({ proofKey, emailHash: email })),
})
