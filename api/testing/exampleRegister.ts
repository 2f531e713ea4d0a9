import { createPrivateKey, sign } from 'node:crypto'
import { registerAnchor } from '#api/dev/contracts/generated/registerAnchor.ts'
import { leafHash, rootOf } from '#api/integrity/register/verify.mjs'
import vectors from '#api/integrity/register/vectors/vectors.json' with { type: 'json' }

/** What a server tells: the example log, or a lie. */
export interface ServedExample {
  entries: string[]
  /** Day → number → leaf in hex; other leaves are free. */
  leaves: Record<string, Record<string, string>>
  chain: typeof vectors.log.chain
  anchors: { size: number; time: number; root: string }[]
  anchorCode: string
  /** Signs the checkpoint in place of the key in force. */
  signer?: Signer | undefined
  /** Whether the site answers that it has no register. */
  isGone: boolean
  /** The time by the reader's clock. */
  now: number
}

interface Signer {
  /** Of the key that the signature line names, in hex. */
  id: string
  seed: number
}

export interface Lie {
  what: string
  tick: string
  entries?: Record<string, string | undefined>
  allEntries?: (string | number)[]
  leaves: Record<string, Record<string, string | null>>
  chain?: typeof vectors.log.chain
  anchors?: ServedExample['anchors']
  anchorCode?: string
  signer?: Signer
  isGone?: boolean
}

const { log } = vectors
export const PUBLISHER = '00000000000000000000000000000000000b0b01'
const anchorCode = registerAnchor.deployedBytecode.replaceAll(`7f${'00'.repeat(32)}`, `7f${'00'.repeat(12)}${PUBLISHER}`)
const ORIGIN = 'nodes.example.com/register'
export const FREE = `01${'00'.repeat(51)}`

export const lineOf = (text: string, name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? '-'
export const hashesOf = (entries: string[]) => entries.map((text) => leafHash(Buffer.from(text, 'latin1')))

/** The anchors that a publisher of these entries sends: one for each books entry, half a minute later. */
function anchorsOf(entries: string[]): ServedExample['anchors'] {
  const hashes = hashesOf(entries)
  return entries.flatMap((text, index) =>
    text.startsWith('books/')
      ? [
          {
            size: index + 1,
            time: Math.floor(Date.parse(lineOf(text, 'time')) / 1000) + 30,
            root: rootOf(hashes.slice(0, index + 1)).toString('hex'),
          },
        ]
      : [],
  )
}

export const truth = (): ServedExample => ({
  entries: log.entries,
  leaves: log.leaves,
  chain: log.chain,
  anchors: vectors.anchor.anchors,
  anchorCode,
  isGone: false,
  now: Date.parse('2026-11-26T10:00:00.000Z'),
})

export function toldBy(lie: Lie): ServedExample {
  const entries = lie.allEntries
    ? lie.allEntries.map((one) => (typeof one === 'number' ? log.entries[one]! : one))
    : log.entries.map((text, index) => lie.entries?.[index] ?? text)
  const leaves: ServedExample['leaves'] = structuredClone(log.leaves)
  for (const [day, changed] of Object.entries(lie.leaves))
    for (const [number, leaf] of Object.entries(changed)) leaves[day]![number] = leaf ?? FREE
  const { chain, anchors = anchorsOf(entries), signer, isGone = false } = lie
  return {
    ...truth(),
    entries,
    leaves,
    chain: chain ?? log.chain,
    anchors,
    signer,
    isGone,
    anchorCode: lie.anchorCode ?? anchorCode,
  }
}

const keyOf = (seed: number) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seed)]),
    format: 'der',
    type: 'pkcs8',
  })

const idOf = (vkey: string) => vkey.split('+')[1]!
const firstKey: Signer = { id: idOf(vectors.checkpoint.vkey), seed: 0x22 }
const secondKey: Signer = { id: idOf(log.keys), seed: 0x25 }

/** The key in force: the example's second one after its rotation. */
const signerOf = (entries: string[]): Signer => (entries.some((entry) => entry.includes('\nuse log\n')) ? secondKey : firstKey)

export function signCheckpoint(entries: string[], { id, seed } = signerOf(entries)): Buffer {
  const text = `${ORIGIN}\n${entries.length}\n${rootOf(hashesOf(entries)).toString('base64')}\n`
  const signature = sign(null, Buffer.from(text), keyOf(seed))
  return Buffer.from(`${text}\n— ${ORIGIN} ${Buffer.concat([Buffer.from(id, 'hex'), signature]).toString('base64')}\n`)
}

const cut = log.entries.slice(0, log.entries.findIndex((text) => text.startsWith('books/v1\nday 2026-11-25')) + 1)
const forked = log.entries.map((text, index) => (index === 2 ? text.replace('time 2026-11-20T08', 'time 2026-11-20T07') : text))
const late = log.entries.findIndex((text) => text.startsWith('day/v1\nday 2026-11-23'))
const excuse = 'note/v1\ntime 2026-11-25T09:30:00.000Z\ntopic caught-up\nsubject 2026-11-23\ntext -\n'
const excused = log.entries.toSpliced(cut.length, 0, excuse)
const foreign = { ...vectors.anchor.anchors.at(-1)!, size: log.entries.length + 1, root: '07'.repeat(32) }

/** Lies of a site whose books add up, to a reader who has seen the example. */
export const siteLies: readonly Lie[] = [
  { what: 'the log is cut', tick: 'growth', allEntries: cut, leaves: {} },
  { what: 'the log is cut behind its anchors', tick: 'anchors', allEntries: cut, leaves: {}, anchors: vectors.anchor.anchors },
  { what: 'the log is forked', tick: 'growth', allEntries: forked, leaves: {} },
  { what: 'the log is forked for one visitor', tick: 'anchors', allEntries: forked, leaves: {}, anchors: vectors.anchor.anchors },
  { what: 'another log is anchored', tick: 'anchors', leaves: {}, anchors: [...vectors.anchor.anchors, foreign] },
  {
    what: 'a day that was not anchored in time is called caught up afterwards',
    tick: 'days',
    allEntries: excused,
    leaves: {},
    anchors: anchorsOf(excused).filter(({ size }) => size <= late || size >= cut.length),
  },
  { what: 'another anchor contract', tick: 'anchors', leaves: {}, anchorCode: '0x6000' },
  { what: 'the key that was replaced', tick: 'signature', leaves: {}, signer: firstKey },
  { what: "a key of the server's own", tick: 'signature', leaves: {}, signer: { ...secondKey, seed: 0x99 } },
  { what: 'the register is gone', tick: 'growth', leaves: {}, isGone: true },
]
