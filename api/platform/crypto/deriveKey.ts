import { hkdfSync } from 'node:crypto'

const purposes = ['otp-secrets', 'email-codes', 'recovery-codes', 'captcha', 'captcha-answers'] as const

/** Derives a separate key for each purpose from the configured secret. */
export const deriveKey = (encryptionKey: string, purpose: (typeof purposes)[number]): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(encryptionKey.replace(/^0x/, ''), 'hex'), '', purpose, 32))
