import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'

export interface EmbeddedKeys {
  /** Hex, 32 bytes. */
  encryptionKey: string
  payoutPrivateKey: Hex
  /** Controls the received payments. The product only uses its address. */
  depositPrivateKey: Hex
  /** Deploys the reward token and mints it for the payout wallet. */
  deployerPrivateKey: Hex
  /** Seeds of the keys that sign the public register's checkpoints and receipts: hex, 32 bytes. */
  registerSigningKey: string
  receiptSigningKey: string
  /** Sends the register's anchors. */
  anchorPrivateKey: Hex
  /** Identifies the installation to push services: hex, 32 bytes. */
  vapidPrivateKey: string
}

/** Loads the keys of a data folder. Missing ones are generated once: every installation has its own, and an older file lacks some. */
export function loadEmbeddedKeys(dataDir: string): EmbeddedKeys {
  const file = path.join(dataDir, 'keys.json')
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<EmbeddedKeys>) : {}
  const keys: EmbeddedKeys = { ...generateKeys(), ...known }
  if (Object.keys(known).length === Object.keys(keys).length) return keys
  writeFileSync(`${file}.new`, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return keys
}

const generateKeys = (): EmbeddedKeys => ({
  encryptionKey: randomBytes(32).toString('hex'),
  payoutPrivateKey: generatePrivateKey(),
  depositPrivateKey: generatePrivateKey(),
  deployerPrivateKey: generatePrivateKey(),
  registerSigningKey: randomBytes(32).toString('hex'),
  receiptSigningKey: randomBytes(32).toString('hex'),
  anchorPrivateKey: generatePrivateKey(),
  vapidPrivateKey: randomBytes(32).toString('hex'),
})
