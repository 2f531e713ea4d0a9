import { hkdfSync } from 'node:crypto'

const purposes = ['otp-secrets', 'proof-keys', 'email-codes', 'recovery-codes', 'captcha', 'captcha-answers'] as const
export type KeyPurpose = (typeof purposes)[number]

/** Derives a separate key for each purpose from the configured secret. */
export const deriveKey = (encryptionKey: string, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(encryptionKey.replace(/^0x/, ''), 'hex'), '', purpose, 32))
