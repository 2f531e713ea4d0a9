// Types of verify.mjs, which is served as it is, for the tests beside it.
import type { Buffer } from 'node:buffer'

export interface Receipt {
  kind: 'account' | 'nodes' | 'withdrawal'
}

export interface AccountOptions {
  keys: Buffer[]
  email: string
  receipts?: Receipt[]
  messages?: string[]
  wallets?: string[]
  transfers?: string[]
  balance?: bigint | null
  debt?: bigint
}

export interface Options {
  site: string
  /** The host whose register it must be; that of `site` by default. */
  origin?: string | undefined
  rpcs?: string[]
  rewardRpcs?: string[]
  genesis?: string | undefined
  logKey?: string
  day?: string
  receipts?: Receipt[]
  accounts?: string[]
  account?: AccountOptions
  memory?: Seen | null
  running?: string
  now?: number
  timeout?: number
}

export interface Seen {
  genesis: string
  size: number
  root: string
}

export interface Tick {
  outcome: 'ok' | 'nothing' | 'unknown' | 'failed'
  detail: string
  evidence?: string
}

export interface Report {
  ticks: Map<string, Tick>
  header: string[]
  counts: { days: number; nodes: number; deposits: number; payouts: number }
  seen: Seen | null
  exitCode: 0 | 1 | 2
  named(outcome: Tick['outcome']): string[]
}

export const ANCHOR_CODE: string
export class Refused extends Error {}
export function verify(command: 'all' | 'day' | 'account' | 'receipt', options: Options): Promise<Report>
export function main(argv: string[], write: (line: string) => void): Promise<number>
export function print(report: Report, write: (line: string) => void): void

export function parseEntry(text: string): { kind: string }
export function parseLeaf(bytes: Buffer): { state: number; kind: number; commitment: Buffer; earned: bigint }
export function parseNote(bytes: Buffer, limit: number): { text: string; signatures: unknown[] }
export function isSignedBy(note: ReturnType<typeof parseNote>, name: string, key: string): boolean
export function parseCheckpoint(
  bytes: Buffer,
  origin?: string,
): { note: ReturnType<typeof parseNote>; origin: string; size: number; root: Buffer }
export function parseReceipt(bytes: Buffer): Receipt & { note: ReturnType<typeof parseNote> }
export function parseAnchors(bytes: Buffer): { size: number; time: number; root: Buffer }[]
export function splitLogFile(bytes: Buffer, wanted: number): string[] | undefined
export function anchorCodeHash(code: Buffer, publisher: Buffer): string

export function sha256(...parts: Buffer[]): Buffer
export function leafHash(data: Buffer): Buffer
export function rootOf(hashes: Buffer[]): Buffer
export function isIncluded(index: number, size: number, leaf: Buffer, proof: Buffer[], root: Buffer): boolean
export function isPrefix(first: number, second: number, proof: Buffer[], firstRoot: Buffer, secondRoot: Buffer): boolean

export function emailHash(email: string): Buffer
export function accountHash(proofKey: Buffer, emailHash: Buffer): string
export function daySecret(proofKey: Buffer, day: string): Buffer
export function nodeCommitment(secret: Buffer, day: string, number: number, emailHash: Buffer): Buffer
export function bodyHash(text: string): Buffer
export function entrySecret(proofKey: Buffer, bodyHash: Buffer): Buffer
export function entryCommitment(
  proofKey: Buffer,
  emailHash: Buffer,
  text: string,
  payment?: { recipient: string; message?: Buffer },
): string
export function messageHash(message: string): Buffer
export function requestOf(messageHash: Buffer): string

export function keccak256(data: Buffer): Buffer
export function personalHash(message: string): Buffer
export function recoverAddress(digest: Buffer, signature: Buffer): string | null
export function walletMessage(wallet: { origin: string; genesis: string; chain: string; wallet: string }): string
