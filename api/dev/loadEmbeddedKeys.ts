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
}

/** Loads the keys of a data folder, which are generated on first use: every installation has its own. */
export function loadEmbeddedKeys(dataDir: string): EmbeddedKeys {
  const file = path.join(dataDir, 'keys.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as EmbeddedKeys
  const keys: EmbeddedKeys = {
    encryptionKey: randomBytes(32).toString('hex'),
    payoutPrivateKey: generatePrivateKey(),
    depositPrivateKey: generatePrivateKey(),
    deployerPrivateKey: generatePrivateKey(),
  }
  writeFileSync(`${file}.new`, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return keys
}
