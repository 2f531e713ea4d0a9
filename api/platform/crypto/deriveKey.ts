import { hkdfSync } from 'node:crypto'
import { bytesOfKey } from './hexKeys.ts'

const purposes = [
  'otp-secrets',
  'proof-keys',
  'email-codes',
  'recovery-codes',
  'captcha',
  'captcha-answers',
  'key-check',
] as const
export type KeyPurpose = (typeof purposes)[number]

/** Derived keys by secret and purpose: deriving takes longer than a decryption, of which one day of the register has thousands. */
const derived = new Map<string, Buffer>()

/** Derives a separate key for each purpose from the configured secret. */
export function deriveKey(encryptionKey: string, purpose: KeyPurpose): Buffer {
  const name = `${purpose} ${encryptionKey}`
  const known = derived.get(name)
  if (known) return known
  const key = Buffer.from(hkdfSync('sha256', bytesOfKey(encryptionKey), '', purpose, 32))
  derived.set(name, key)
  return key
}
