import type { MikroORM } from '@mikro-orm/postgresql'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { toBase64 } from '#shared/register/bytes.ts'
import { encodeLeaf, LEAF_SIZE, type NodeLeaf, parseLeaf } from '#shared/register/nodeLeaf.ts'
import { inLogFile } from '#shared/register/logFiles.ts'
import { BLOCK_SIZE, leafHash, rootOf } from '#shared/register/tree.ts'
import { type PublicFile, publicFile } from '#api/integrity/register/answerFile.ts'
import { signCheckpoint } from '#api/integrity/register/checkpoint.ts'
import { serveFiles } from '#api/integrity/register/serveFiles.ts'
import { signerOf } from '#api/integrity/register/signedNotes.ts'
import { query } from '#api/entities/tables.ts'
import { onCleanup } from './onCleanup.ts'

/** What a server tells about the register: the truth, or a lie. */
export interface ServedLog {
  entries: string[]
  /** The leaves of each day, by number from 1 on. */
  days: Map<string, NodeLeaf[]>
  /** Signs the checkpoint. */
  signingKey: Uint8Array
}

/** What is published. */
export async function readServedLog({ em }: Pick<MikroORM, 'em'>, signingKey: Uint8Array): Promise<ServedLog> {
  const entries = await query(em.fork()).selectFrom('register_entries').select('text').orderBy('index').execute()
  const days = await query(em.fork()).selectFrom('register_days').select(['day', 'leaves']).execute()
  return {
    entries: entries.map(({ text }) => text),
    days: new Map(
      days.map(({ day, leaves }) => [
        day,
        Array.from({ length: leaves.length / LEAF_SIZE }, (_, index) =>
          parseLeaf(leaves.subarray(index * LEAF_SIZE, (index + 1) * LEAF_SIZE)),
        ),
      ]),
    ),
    signingKey,
  }
}

/** The value of an entry's line. */
export const lineOf = (entry: string, name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(entry)?.[1] ?? ''
export const withLine = (entry: string, name: string, value: string): string =>
  entry.replace(new RegExp(`^${name} .*$`, 'm'), `${name} ${value}`)
export const isKind = (entry: string, kind: string): boolean => entry.startsWith(`${kind}/v1\n`)

/** The index of the last entry of a kind that fits. */
export function findEntry({ entries }: ServedLog, kind: string, fits: (entry: string) => boolean = () => true): number {
  const index = entries.findLastIndex((entry) => isKind(entry, kind) && fits(entry))
  if (index < 0) throw new Error(`There is no such ${kind}.`)
  return index
}

/** Changes one line of the last entry of a kind that fits. */
export function changeLine(
  told: ServedLog,
  kind: string,
  name: string,
  change: (value: string) => string,
  fits?: (entry: string) => boolean,
): void {
  const index = findEntry(told, kind, fits)
  told.entries[index] = withLine(told.entries[index]!, name, change(lineOf(told.entries[index]!, name)))
}

/** Makes the figures of days and books fit the leaves and entries, as a careful liar does. */
export function refit(told: ServedLog): void {
  let earned = 0n
  told.entries = told.entries.map((entry) => {
    if (isKind(entry, 'day')) {
      const leaves = told.days.get(lineOf(entry, 'day')) ?? []
      earned = leaves.reduce((sum, leaf) => sum + leaf.earned, 0n)
      const counts = (names: readonly string[], of: 'state' | 'kind') =>
        names.map((name) => leaves.filter((leaf) => leaf[of] === name).length)
      const states = counts(['free', 'waiting', 'active', 'frozen'], 'state')
      const root = toBase64(rootOf(leaves.map((leaf) => leafHash(encodeLeaf(leaf)))))
      const lines: [string, string][] = [
        ['states', states.join(' ')],
        ['kinds', counts(['none', 'paid', 'bonus', 'granted'], 'kind').join(' ')],
        ['rewards', String(BigInt(lineOf(entry, 'rate')) * BigInt(states[2]!))],
        ['earned', String(earned)],
        ['nodes', `${leaves.length} ${root}`],
      ]
      return lines.reduce((text, [name, value]) => withLine(text, name, value), entry)
    }
    if (!isKind(entry, 'books')) return entry
    const amount = (name: string) => BigInt(lineOf(entry, name))
    const [net, fees] = lineOf(entry, 'completed').split(' ').map(BigInt)
    const owed = earned + amount('debts') - net! - fees!
    return [
      ['earned', earned],
      ['balances', owed - amount('open')],
      ['owed', owed],
    ].reduce((text, [name, value]) => withLine(text, String(name), String(value)), entry)
  })
}

/** The files of what is told, with a checkpoint that its key signs. */
export function filesOf({ entries, days, signingKey }: ServedLog): Map<string, PublicFile> {
  const hashes = entries.map((entry) => leafHash(Buffer.from(entry, 'latin1')))
  const blocksOf = (leaves: readonly Uint8Array[], count: number) =>
    Buffer.concat(Array.from({ length: count }, (_, block) => rootOf(leaves.slice(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE))))
  const origin = lineOf(entries[0]!, 'origin')
  const note = signCheckpoint({ origin, size: entries.length, root: rootOf(hashes) }, signerOf(origin, signingKey))
  const files = new Map<string, Buffer>([
    ['checkpoint', Buffer.from(note)],
    ['log/hashes.bin', Buffer.concat(hashes)],
    ['log/blocks.bin', blocksOf(hashes, Math.floor(hashes.length / BLOCK_SIZE))],
  ])
  for (let first = 0; first < entries.length; first += BLOCK_SIZE)
    files.set(
      `log/${first / BLOCK_SIZE}.txt`,
      Buffer.from(
        entries
          .slice(first, first + BLOCK_SIZE)
          .map(inLogFile)
          .join(''),
        'latin1',
      ),
    )
  for (const [day, leaves] of days) {
    const bytes = leaves.map(encodeLeaf)
    files.set(`days/${day}.bin`, Buffer.concat(bytes))
    files.set(`days/${day}.hashes.bin`, blocksOf(bytes.map(leafHash), Math.ceil(bytes.length / BLOCK_SIZE)))
  }
  return new Map([...files].map(([name, bytes]) => [name, publicFile(bytes, 'application/octet-stream')]))
}

/** Serves the files until the test ends. @returns the site. */
export async function serveLog(told: ServedLog, change: (files: Map<string, PublicFile>) => void = () => {}): Promise<string> {
  const files = filesOf(told)
  change(files)
  const serve = serveFiles(
    { find: async (name) => files.get(name) },
    {
      securityHeaders: {},
      onError: (error) => {
        throw error
      },
    },
  )
  const server = http.createServer((request, response) => serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onCleanup(async () => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
