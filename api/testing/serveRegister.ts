import http from 'node:http'
import { leafHash, rootOf, sha256 } from '#api/integrity/register/verify.mjs'
import vectors from '#api/integrity/register/vectors/vectors.json' with { type: 'json' }
import { FREE, hashesOf, lineOf, PUBLISHER, signCheckpoint, type ServedExample, truth } from './exampleRegister.ts'

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void

const { log } = vectors
const SENDER = '0x00000000000000000000000000000000005e4de1'
const DEPOSITS = '0x00000000000000000000000000000000000d0e05'
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const abi = (value: bigint | number | string) => BigInt(value).toString(16).padStart(64, '0')
const quantity = (value: number) => `0x${value.toString(16)}`

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
function filesOf({ entries, leaves, signer, isGone }: ServedExample): Map<string, Buffer> {
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
function transfersOf({ chain }: ServedExample) {
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
function blockAt(told: ServedExample, name: 'payment-block' | 'reward-block', number: number) {
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

function callContract(told: ServedExample, data: string): string {
  const { anchors } = told
  if (data === vectors.anchor.publisher) return `0x${'00'.repeat(12)}${PUBLISHER}`
  if (data === vectors.anchor.count) return `0x${abi(anchors.length)}`
  if (!data.startsWith(vectors.anchor.since.slice(0, 10))) return '0x'
  const page = anchors.slice(Number(`0x${data.slice(10)}`))
  return `0x${abi(32)}${abi(page.length)}${page.map(({ size, time, root }) => abi(size) + abi(time) + root).join('')}`
}

/** Answers one JSON-RPC call; `first` is its first parameter. */
function answerCall(
  told: ServedExample,
  chain: 'payment' | 'reward',
  method: string,
  first: string | Filter | ContractCall,
): unknown {
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
    tell(news: ServedExample) {
      told = news
      files = filesOf(news)
      overrides.clear()
      return files
    },
    override: (path: string, answer: Answer) => overrides.set(path, answer),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  }
}
