import { createHmac } from 'node:crypto'
import { deriveKey } from '#api/platform/crypto/deriveKey.ts'

/** The stored form of a recovery code. Keyed, and with 50 random bits, so that a slow hash would add no security. */
export const hashRecoveryCode = ({ userId, code }: { userId: string; code: string }, encryptionKey: string): string =>
  createHmac('sha256', deriveKey(encryptionKey, 'recovery-codes')).update(`${userId} ${code}`).digest('hex')
