import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '#api/platform/crypto/deriveKey.ts'

export interface MailedCode {
  email: string
  code: string
}

/** What is stored of a mailed code. Keyed: a million codes are soon tried against a plain hash. */
export const hashEmailCode = ({ email, code }: MailedCode, encryptionKey: string): string =>
  createHmac('sha256', deriveKey(encryptionKey, 'email-codes')).update(`${email} ${code}`).digest('hex')

export const isEmailCode = (mailed: MailedCode, { hash, encryptionKey }: { hash: string; encryptionKey: string }): boolean =>
  timingSafeEqual(Buffer.from(hashEmailCode(mailed, encryptionKey)), Buffer.from(hash))
