import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 as hash } from '@noble/hashes/sha2.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { toBase64, utf8 } from './bytes.ts'
import { sha256 } from './tree.ts'
import type { Hex } from './values.ts'

/** An account as the register knows it: by 32 random bytes, and by an e-mail that its owner knows. */
export interface Identity {
  proofKey: Uint8Array
  emailHash: Uint8Array
}

/** @param email as stored: trimmed, NFC, in lower case. */
export const emailHash = (email: string): Uint8Array => sha256(utf8(email))

/** Names an account in receipts without revealing the key or the e-mail. */
export const accountHash = ({ proofKey, emailHash }: Identity): Uint8Array =>
  sha256(utf8('xcr-register/account/v1\n'), proofKey, emailHash)

/** One secret for each day and each entry; none reveals another. */
const deriveSecret = (proofKey: Uint8Array, label: string): Uint8Array =>
  hkdf(hash, proofKey, new Uint8Array(), utf8(`xcr-register/v1 ${label}`), 32)

export const daySecret = (proofKey: Uint8Array, day: string): Uint8Array => deriveSecret(proofKey, `day ${day}`)

interface NodeOwner {
  /** From `daySecret`, derived once for all of an account's nodes. */
  secret: Uint8Array
  day: string
  number: number
  emailHash: Uint8Array
}

/** Commits a day's leaf to its owner. */
export function nodeCommitment({ secret, day, number, emailHash }: NodeOwner): Uint8Array {
  const position = new Uint8Array(4)
  new DataView(position.buffer).setUint32(0, number)
  return sha256(utf8('xcr-register/node/v1\n'), secret, utf8(day), position, emailHash)
}

/** @param body the entry's bytes before its last line. */
export const entrySecret = (proofKey: Uint8Array, body: Uint8Array): Uint8Array =>
  deriveSecret(proofKey, `entry ${toBase64(sha256(body))}`)

interface EntryOwner {
  /** From `entrySecret`. */
  secret: Uint8Array
  body: Uint8Array
  emailHash: Uint8Array
}

/** Commits a deposit or a grant to its account. */
export const entryCommitment = ({ secret, body, emailHash }: EntryOwner): Uint8Array =>
  sha256(utf8('xcr-register/entry/v1\n'), secret, sha256(body), emailHash)

interface PayoutOwner extends EntryOwner {
  recipient: Hex
  /** From `messageHash`; null if the message is lost. */
  messageHash: Uint8Array | null
}

/** Commits a payout to its account, its recipient and the message that the owner's wallet signed. */
export const payoutCommitment = ({ secret, body, emailHash, recipient, messageHash }: PayoutOwner): Uint8Array =>
  sha256(
    utf8('xcr-register/payout/v1\n'),
    secret,
    sha256(body),
    emailHash,
    hexToBytes(recipient.slice(2)),
    messageHash ?? new Uint8Array(32),
  )

/** @param message the text that the wallet signed. */
export const messageHash = (message: string): Uint8Array => sha256(utf8(message))

/** Names a withdrawal in the log. */
export const requestOf = (messageHash: Uint8Array): Uint8Array => sha256(utf8('xcr-register/request/v1\n'), messageHash)
