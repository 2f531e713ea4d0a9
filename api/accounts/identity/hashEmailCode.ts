import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '#api/platform/crypto/deriveKey.ts'

export interface MailedCode {
  email: string
  code: string
}

/** The stored form of an emailed code. Keyed, because a plain hash of six digits is easily reversed. */
export const hashEmailCode = ({ email, code }: MailedCode, encryptionKey: string): string =>
  createHmac('sha256', deriveKey(encryptionKey, 'email-codes')).update(`${email} ${code}`).digest('hex')

export const isEmailCode = (mailed: MailedCode, { hash, encryptionKey }: { hash: string; encryptionKey: string }): boolean =>
  timingSafeEqual(Buffer.from(hashEmailCode(mailed, encryptionKey)), Buffer.from(hash))
