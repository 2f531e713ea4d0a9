import { createPrivateKey, sign } from 'node:crypto'
import http from 'node:http'
import { registerAnchor } from '#api/dev/contracts/generated/registerAnchor.ts'
import { leafHash, rootOf, sha256 } from '#api/integrity/register/verify.mjs'
import vectors from '#api/integrity/register/vectors/vectors.json' with { type: 'json' }

/** What a server tells: the example log, or a lie. */
interface Told {
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
  anchors?: Told['anchors']
  anchorCode?: string
  signer?: Signer
  isGone?: boolean
}

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void

const { log } = vectors
const PUBLISHER = '00000000000000000000000000000000000b0b01'
const SENDER = '0x00000000000000000000000000000000005e4de1'
const DEPOSITS = '0x00000000000000000000000000000000000d0e05'
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const ORIGIN = 'nodes.example.com/register'
const FREE = `01${'00'.repeat(51)}`

const abi = (value: bigint | number | string) => BigInt(value).toString(16).padStart(64, '0')
const quantity = (value: number) => `0x${value.toString(16)}`
const lineOf = (text: string, name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? '-'
const hashesOf = (entries: string[]) => entries.map((text) => leafHash(Buffer.from(text, 'latin1')))

/** The anchors that a publisher of these entries sends: one for each books entry, half a minute later. */
function anchorsOf(entries: string[]): Told['anchors'] {
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

export const truth = (): Told => ({
  entries: log.entries,
  leaves: log.leaves,
  chain: log.chain,
  anchors: vectors.anchor.anchors,
  anchorCode,
  isGone: false,
  now: Date.parse('2026-11-26T10:00:00.000Z'),
})

export function toldBy(lie: Lie): Told {
  const entries = lie.allEntries
    ? lie.allEntries.map((one) => (typeof one === 'number' ? log.entries[one]! : one))
    : log.entries.map((text, index) => lie.entries?.[index] ?? text)
  const leaves: Told['leaves'] = structuredClone(log.leaves)
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

/** The files of days by their leaves: most lies change few days, and hashing takes long. */
const knownDays = new Map<string, ReturnType<typeof makeDayFiles>>()

function dayFiles(leaves: Record<string, string>) {
  const key = JSON.stringify(leaves)
  const files = knownDays.get(key) ?? makeDayFiles(leaves)
  knownDays.set(key, files)
  return files
}

function makeDayFiles(leaves: Record<string, string>) {
  const tree = Array.from({ length: log.supply }, (_, index) => Buffer.from(leaves[index + 1] ?? FREE, 'hex'))
  const hashes = tree.map(leafHash)
  return { leaves: Buffer.concat(tree), hashes: Buffer.concat([rootOf(hashes.slice(0, 256)), rootOf(hashes.slice(256))]) }
}

/** The files below /register/. */
function filesOf({ entries, leaves, signer, isGone }: Told): Map<string, Buffer> {
  if (isGone) return new Map()
  const files = new Map<string, Buffer>([
    ['checkpoint', signCheckpoint(entries, signer)],
    ['log/0.txt', Buffer.from(entries.map((text) => `${text}\n`).join(''), 'latin1')],
    ['log/hashes.bin', Buffer.concat(hashesOf(entries))],
    ['log/blocks.bin', Buffer.alloc(0)],
  ])
  for (const [day, ofDay] of Object.entries(leaves)) {
    const bytes = dayFiles(ofDay)
    files.set(`days/${day}.bin`, bytes.leaves)
    files.set(`days/${day}.hashes.bin`, bytes.hashes)
  }
  return files
}

interface Filter {
  fromBlock: string
  toBlock: string
  topics: (string | string[] | null)[]
}

interface ContractCall {
  to: string
  data: string
}

interface TransferLog {
  hash: string
  block: number
  logIndex: number
  from: string
  to: string
  amount: string
}

const logOf = (token: string, one: TransferLog) => ({
  address: token,
  topics: [TRANSFER, `0x${abi(one.from)}`, `0x${abi(one.to)}`],
  data: `0x${abi(one.amount)}`,
  transactionHash: one.hash,
  blockNumber: quantity(one.block),
  logIndex: quantity(one.logIndex),
})

/** The transfers of both chains. Logs before a transfer's ordinal are of another recipient. */
function transfersOf({ chain }: Told) {
  const payment: TransferLog[] = chain.payment.map((one) => ({ ...one, from: SENDER, to: DEPOSITS }))
  const refunds: TransferLog[] = chain.refunds.map((one) => ({
    ...one,
    block: 2100,
    logIndex: one.ordinal,
    from: DEPOSITS,
    to: SENDER,
  }))
  const recipient = log.holders[0]!.withdrawals[0]!.recipient
  const reward: TransferLog[] = chain.reward.map((one) => ({ ...one, logIndex: 3, from: one.wallet, to: recipient }))
  return { payment: [...payment, ...refunds], reward }
}

/** The times and hashes of blocks: those of the books and of the example's deposits. */
function blockAt(told: Told, name: 'payment-block' | 'reward-block', number: number) {
  for (const text of told.entries) {
    const [its, hash, time] = lineOf(text, name).split(' ')
    if (text.startsWith('books/') && Number(its) === number) return { hash: hash!, time: time! }
  }
  const mined = log.entries.find(
    (text) => Number(lineOf(text, 'block').split(' ')[0]) === number && lineOf(text, 'mined') !== '-',
  )
  return {
    hash: `0x${sha256(Buffer.from(`${number}`)).toString('hex')}`,
    time: mined ? lineOf(mined, 'mined') : '2026-11-20T00:00:00.000Z',
  }
}

const anchorCode = registerAnchor.deployedBytecode.replaceAll(`7f${'00'.repeat(32)}`, `7f${'00'.repeat(12)}${PUBLISHER}`)

function callContract(told: Told, data: string): string {
  const { anchors } = told
  if (data === vectors.anchor.publisher) return `0x${'00'.repeat(12)}${PUBLISHER}`
  if (data === vectors.anchor.count) return `0x${abi(anchors.length)}`
  if (!data.startsWith(vectors.anchor.since.slice(0, 10))) return '0x'
  const page = anchors.slice(Number(`0x${data.slice(10)}`))
  return `0x${abi(32)}${abi(page.length)}${page.map(({ size, time, root }) => abi(size) + abi(time) + root).join('')}`
}

/** Answers one JSON-RPC call; `first` is its first parameter. */
function answerCall(told: Told, chain: 'payment' | 'reward', method: string, first: string | Filter | ContractCall): unknown {
  const [id, token = ''] = lineOf(log.entries[0]!, chain).split(' ')
  const transfers = transfersOf(told)[chain]
  if (method === 'eth_chainId') return quantity(Number(id))
  if (typeof first === 'string') {
    if (method === 'eth_getCode') return first.endsWith('0a07') ? told.anchorCode : '0x'
    if (method === 'eth_getTransactionReceipt') {
      const own = transfers.filter(({ hash }) => hash === first)
      return own.length === 0 ? null : { logs: own.map((one) => logOf(token, one)) }
    }
    const { hash, time } = blockAt(told, `${chain}-block`, Number(first))
    return { number: quantity(Number(first)), hash, timestamp: quantity(Date.parse(time) / 1000) }
  }
  if ('topics' in first)
    return transfers
      .filter(({ block }) => block >= Number(first.fromBlock) && block <= Number(first.toBlock))
      .map((one) => logOf(token, one))
      .filter(({ topics }) =>
        topics.every((topic, index) => (index === 0 ? true : (first.topics[index]?.includes(topic) ?? true))),
      )
  if (first.to === token) return `0x${abi(first.data.includes('5cbdd86a') ? 994995n * 10n ** 18n : 0n)}`
  return callContract(told, first.data)
}

/** Serves the files and both chains. `told` may be replaced; `override` answers before everything else. */
export async function serveRegister() {
  let [told, files] = [truth(), filesOf(truth())]
  const overrides = new Map<string, Answer>()
  const server = http.createServer((request, response) => {
    const path = request.url ?? ''
    const override = overrides.get(path)
    if (override) return override(request, response)
    if (request.method === 'POST') {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        const { method, params } = JSON.parse(body)
        const result = answerCall(told, path === '/payment' ? 'payment' : 'reward', method, params[0])
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
      })
      return
    }
    const file = files.get(path.replace('/register/', ''))
    response.statusCode = file ? 200 : 404
    response.end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  const site = `http://127.0.0.1:${address.port}`
  return {
    site,
    options: () => ({
      site,
      origin: 'nodes.example.com',
      rpcs: [`${site}/payment`],
      rewardRpcs: [`${site}/reward`],
      now: told.now,
    }),
    tell(news: Told) {
      told = news
      files = filesOf(news)
      overrides.clear()
      return files
    },
    override: (path: string, answer: Answer) => overrides.set(path, answer),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  }
}
