import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey, type KeyPurpose } from '#api/platform/crypto/deriveKey.ts'

/** The prefix of each value, which identifies the encryption scheme. */
const VERSION = 'v1'

interface Owned {
  encryptionKey: string
  /** The account. It is authenticated data: a value copied to another account's row does not decrypt. */
  owner: string
  /** The kind of the secret. Each kind has a key of its own. */
  purpose?: Extract<KeyPurpose, 'otp-secrets' | 'proof-keys'>
}

/** Encrypts a secret of an account for the database: AES-256-GCM. */
export function encryptSecret(secret: string, { encryptionKey, owner, purpose = 'otp-secrets' }: Owned): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(encryptionKey, purpose), nonce).setAAD(Buffer.from(owner))
  const parts = [nonce, Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])]
  return [VERSION, ...[...parts, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.')
}

/** @throws if the value was not written by `encryptSecret` with this key for this owner. */
export function decryptSecret(encrypted: string, { encryptionKey, owner, purpose = 'otp-secrets' }: Owned): string {
  const [version, ...encoded] = encrypted.split('.')
  const [nonce, text, tag] = encoded.map((part) => Buffer.from(part, 'base64url'))
  if (version !== VERSION || !nonce || !text || !tag) throw new Error('This is no encrypted secret.')
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(encryptionKey, purpose), nonce, { authTagLength: 16 })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag)
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
}
