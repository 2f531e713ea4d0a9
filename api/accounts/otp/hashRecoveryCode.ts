import { createHmac } from 'node:crypto'
import { deriveKey } from '#api/platform/crypto/deriveKey.ts'

/** What is stored of a recovery code. Keyed, and 50 random bits: a slow hash would add nothing but the time of its ten. */
export const hashRecoveryCode = ({ userId, code }: { userId: string; code: string }, encryptionKey: string): string =>
  createHmac('sha256', deriveKey(encryptionKey, 'recovery-codes')).update(`${userId} ${code}`).digest('hex')
