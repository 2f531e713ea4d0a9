import { generateSecret } from 'otplib'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { DAY } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { User } from '#api/entities/User.ts'
import { WalletRegistration } from '#api/entities/WalletRegistration.ts'
import { encryptSecret } from '#api/accounts/otp/encryptSecret.ts'

/** The password of every account that a test creates. */
export const TEST_PASSWORD = 'Passw0rd!'

/** `TEST_PASSWORD`, hashed with the least memory and one pass, because hashing is deliberately slow. */
export const TEST_PASSWORD_HASH = '$argon2id$v=19$m=8,t=1,p=1$pyXd/poKHi3QBHHFpCvgCg$RFR+hYGWfpqcgkjOoxOuLvOI0A8dBX06cLMlnquHPjU'

/** The ENCRYPTION_KEY of `testConfig`. */
export const TEST_ENCRYPTION_KEY = '11'.repeat(32)

export interface UserOptions {
  email?: string
  /** Registered one hour before `now` by default. */
  wallet?: Address | undefined
  /** Whether the wallet was proven by a signature; true by default. */
  proven?: boolean
  /** Whether the authenticator is enabled. */
  otp?: boolean
  now?: Date
  /** When the wallet was registered (and proven). */
  registeredAt?: Date
}

/** Inserts a user. Returns the secret of the authenticator if there is one. */
export async function makeUser(
  em: EntityManager,
  { email, wallet, proven = true, otp = false, now = new Date(), registeredAt }: UserOptions = {},
): Promise<{ user: User; otpSecret: string | undefined }> {
  const id = newId()
  const otpSecret = otp ? generateSecret() : undefined
  const address = wallet?.toLowerCase() as Address | undefined
  const user = em.create(User, {
    id,
    email: email ?? `${id}@example.com`,
    passwordHash: TEST_PASSWORD_HASH,
    walletAddress: address ?? null,
    otpSecret: otpSecret ? encryptSecret(otpSecret, { encryptionKey: TEST_ENCRYPTION_KEY, owner: id }) : null,
    otpEnabledAt: otpSecret ? new Date(now.getTime() - DAY) : null,
    createdAt: now,
  })
  if (address) {
    const since = registeredAt ?? new Date(now.getTime() - 3_600_000)
    em.create(WalletRegistration, { user, address, registeredAt: since, provenAt: proven ? since : null })
  }
  await em.flush()
  return { user, otpSecret }
}
