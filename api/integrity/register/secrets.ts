import { hkdfSync } from 'node:crypto'
import { sha256 } from './tree.ts'
import type { Hex } from './values.ts'

/** An account as the register knows it: by 32 random bytes, and by an e-mail that its owner knows. */
export interface Identity {
  proofKey: Uint8Array
  emailHash: Uint8Array
}

const utf8 = (text: string): Buffer => Buffer.from(text)

/** @param email as stored: trimmed, NFC, in lower case. */
export const emailHash = (email: string): Buffer => sha256(utf8(email))

/** Names an account in receipts without revealing the key or the e-mail. */
export const accountHash = ({ proofKey, emailHash }: Identity): Buffer =>
  sha256(utf8('xcr-register/account/v1\n'), proofKey, emailHash)

/** One secret for each day and each entry; none reveals another. */
const deriveSecret = (proofKey: Uint8Array, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', proofKey, Buffer.alloc(0), `xcr-register/v1 ${label}`, 32))

export const daySecret = (proofKey: Uint8Array, day: string): Buffer => deriveSecret(proofKey, `day ${day}`)

interface NodeOwner {
  /** From `daySecret`, derived once for all of an account's nodes. */
  secret: Uint8Array
  day: string
  number: number
  emailHash: Uint8Array
}

/** Commits a day's leaf to its owner. */
export function nodeCommitment({ secret, day, number, emailHash }: NodeOwner): Buffer {
  const position = Buffer.alloc(4)
  position.writeUInt32BE(number)
  return sha256(utf8('xcr-register/node/v1\n'), secret, utf8(day), position, emailHash)
}

/** @param body the entry's bytes before its last line. */
export const entrySecret = (proofKey: Uint8Array, body: Uint8Array): Buffer =>
  deriveSecret(proofKey, `entry ${sha256(body).toString('base64')}`)

interface EntryOwner {
  /** From `entrySecret`. */
  secret: Uint8Array
  body: Uint8Array
  emailHash: Uint8Array
}

/** Commits a deposit or a grant to its account. */
export const entryCommitment = ({ secret, body, emailHash }: EntryOwner): Buffer =>
  sha256(utf8('xcr-register/entry/v1\n'), secret, sha256(body), emailHash)

interface PayoutOwner extends EntryOwner {
  recipient: Hex
  /** From `messageHash`; null if the message is lost. */
  messageHash: Uint8Array | null
}

/** Commits a payout to its account, its recipient and the message that the owner's wallet signed. */
export const payoutCommitment = ({ secret, body, emailHash, recipient, messageHash }: PayoutOwner): Buffer =>
  sha256(
    utf8('xcr-register/payout/v1\n'),
    secret,
    sha256(body),
    emailHash,
    Buffer.from(recipient.slice(2), 'hex'),
    messageHash ?? Buffer.alloc(32),
  )

/** @param message the text that the wallet signed. */
export const messageHash = (message: string): Buffer => sha256(utf8(message))

/** Names a withdrawal in the log. */
export const requestOf = (messageHash: Uint8Array): Buffer => sha256(utf8('xcr-register/request/v1\n'), messageHash)
