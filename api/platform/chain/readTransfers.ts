import type { Address, Hash, Hex } from 'viem'
import { AnswerTooLarge, RpcFailure } from './createJsonRpc.ts'
import { inParallel } from './inParallel.ts'
import { hostOf, isRpcRefusal, MAX_RECEIPT, type RpcEndpoint } from './RpcEndpoint.ts'

/** keccak256('Transfer(address,address,uint256)') */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export interface Block {
  number: bigint
  hash: Hash
  parentHash: Hash
  time: Date
}

/** A transfer of the token to one of our addresses. */
export interface Transfer {
  transactionHash: Hash
  /** Its place among the transfers to us in that transaction; unlike the log index, a reorganisation does not change it. */
  ordinal: number
  logIndex: number
  sender: Address
  recipient: Address
  amount: bigint
  blockNumber: bigint
  blockHash: Hash
  blockTime: Date
}

export interface TransferFilter {
  token: Address
  recipients: readonly Address[]
}

interface RpcBlock {
  number: Hex
  hash: Hash
  parentHash: Hash
  timestamp: Hex
}

export interface RpcLog {
  address: Address
  topics: Hex[]
  data: Hex
  blockNumber: Hex
  blockHash: Hash
  /** Some nodes say it, and so save a request a block. */
  blockTimestamp?: Hex
  transactionHash: Hash
  logIndex: Hex
  removed?: boolean
}

interface RpcReceipt {
  transactionHash: Hash
  status: string
  /** Some nodes show the receipt of a transaction that is in no block yet. */
  blockNumber: Hex | null
  blockHash: Hash
  logs: RpcLog[]
}

export const toHex = (number: bigint): Hex => `0x${number.toString(16)}`
const toTime = (seconds: Hex): Date => new Date(Number(seconds) * 1_000)
/** An address as it stands in a topic: 32 bytes, zeros first. */
export const padAddress = (address: Address): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
export const unpadAddress = (topic: Hex): Address => `0x${topic.slice(-40).toLowerCase()}`

/** A block by number or tag; null if the endpoint has none. */
export async function readBlock(endpoint: RpcEndpoint, which: bigint | 'latest' | 'finalized'): Promise<Block | null> {
  const block = await endpoint.request<RpcBlock | null>('eth_getBlockByNumber', [
    typeof which === 'bigint' ? toHex(which) : which,
    false,
  ])
  return block && { number: BigInt(block.number), hash: block.hash, parentHash: block.parentHash, time: toTime(block.timestamp) }
}

/**
 * Every transfer of the token to us in a range of blocks, in the order of the chain.
 *
 * A single block whose logs the endpoint refuses, or whose answer is too large, is read receipt by receipt: no number of transfers in a
 * block stops the reading, and only one receipt at a time is in memory whole.
 *
 * @throws what the endpoint refuses with.
 */
export async function readTransfers(
  endpoint: RpcEndpoint,
  { from, to, ...filter }: TransferFilter & { from: bigint; to: bigint },
): Promise<Transfer[]> {
  let logs: RpcLog[]
  try {
    logs = await endpoint.request<RpcLog[]>('eth_getLogs', [
      {
        address: filter.token,
        topics: [TRANSFER_TOPIC, null, filter.recipients.map(padAddress)],
        fromBlock: toHex(from),
        toBlock: toHex(to),
      },
    ])
  } catch (error) {
    if (from === to && (isRpcRefusal(error) || error instanceof AnswerTooLarge))
      return readTransfersOfBlock(endpoint, from, filter)
    throw error
  }
  const inRange = logs.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to)
  const placed = numberTransfers(placeLogs(endpoint, inRange, filter))
  const times = await readBlockTimes(
    endpoint,
    placed.map(({ log }) => log),
  )
  return placed.map((transfer) =>
    toTransfer(transfer, saysTime(transfer.log) ? toTime(transfer.log.blockTimestamp) : times.get(transfer.log.blockHash)!),
  )
}

/** Receipts of one block that are asked for at the same time. */
const RECEIPTS_AT_ONCE = 8

async function readTransfersOfBlock(endpoint: RpcEndpoint, number: bigint, filter: TransferFilter): Promise<Transfer[]> {
  const block = await endpoint.request<(RpcBlock & { transactions: Hash[] }) | null>('eth_getBlockByNumber', [
    toHex(number),
    false,
  ])
  if (!block) throw new ChainMoved('A block went away while it was read.')
  const transfers = await inParallel(block.transactions, RECEIPTS_AT_ONCE, async (hash) => {
    const receipt = await readRawReceipt(endpoint, hash)
    if (receipt?.blockHash !== block.hash) throw new ChainMoved('A block changed while it was read.')
    return transfersOfReceipt(endpoint, receipt, filter).map((transfer) => toTransfer(transfer, toTime(block.timestamp)))
  })
  return transfers.flat()
}

/** The receipt as the endpoint tells it; null where it has none, which says nothing: it may be behind. */
export const readRawReceipt = (endpoint: RpcEndpoint, hash: Hash): Promise<RpcReceipt | null> =>
  endpoint.request<RpcReceipt | null>('eth_getTransactionReceipt', [hash], { maxAnswer: MAX_RECEIPT })

/** The transfers to us of a transaction, numbered by its receipt, which unlike a list of logs has all of them (money.md 1). */
function transfersOfReceipt(endpoint: RpcEndpoint, receipt: RpcReceipt, filter: TransferFilter): NumberedLog[] {
  return receipt.status === '0x1' ? numberTransfers(placeLogs(endpoint, receipt.logs, filter)) : []
}

/** The transfers of the token to us among the logs. @throws RpcFailure for one without its hashes: it is read again, from elsewhere. */
function placeLogs(endpoint: RpcEndpoint, logs: readonly RpcLog[], { token, recipients }: TransferFilter): PlacedLog[] {
  const topics = new Map<string, Address>(recipients.map((recipient) => [padAddress(recipient), recipient]))
  return logs.flatMap((log): PlacedLog[] => {
    const recipient = topics.get(log.topics[2]?.toLowerCase() ?? '')
    if (!recipient || log.removed === true || !isTransfer(log, token)) return []
    if (!isWord(log.transactionHash) || !isWord(log.blockHash))
      throw new RpcFailure(`${hostOf(endpoint.url)} told a log without its hashes`)
    return [{ log, recipient, number: Number(log.blockNumber), index: Number(log.logIndex) }]
  })
}

const toTransfer = ({ log, recipient, number, index, ordinal }: NumberedLog, blockTime: Date): Transfer => ({
  transactionHash: log.transactionHash,
  ordinal,
  logIndex: index,
  sender: unpadAddress(log.topics[1]!),
  recipient,
  amount: BigInt(log.data),
  blockNumber: BigInt(number),
  blockHash: log.blockHash,
  blockTime,
})

/** A log to one of our addresses, with its place on the chain. */
interface PlacedLog {
  log: RpcLog
  recipient: Address
  number: number
  index: number
}

type NumberedLog = PlacedLog & { ordinal: number }

/** Some nodes write a zero where they do not know the time. */
const saysTime = (log: RpcLog): log is RpcLog & { blockTimestamp: Hex } => Number(log.blockTimestamp ?? 0) > 0

/** What the node was asked for is checked all the same: one that answers for another token, event or recipient must not credit anybody. */
export const isTransfer = (log: Pick<RpcLog, 'address' | 'topics' | 'data'>, token: Address): boolean =>
  log.topics.length === 3 &&
  log.topics[0] === TRANSFER_TOPIC &&
  log.address.toLowerCase() === token.toLowerCase() &&
  isWord(log.data)

const isWord = (text: unknown): boolean => typeof text === 'string' && /^0x[0-9a-f]{64}$/i.test(text)

/** Counts the transfers of each transaction in the order of their logs. An endpoint that tells a log twice has told it once. */
function numberTransfers(logs: readonly PlacedLog[]): NumberedLog[] {
  const numbered: NumberedLog[] = []
  const seen = new Set<string>()
  const counts = new Map<Hash, number>()
  for (const placed of logs.toSorted((a, b) => a.number - b.number || a.index - b.index)) {
    const { transactionHash } = placed.log
    const key = `${transactionHash} ${placed.index}`
    if (seen.has(key)) continue
    seen.add(key)
    const ordinal = counts.get(transactionHash) ?? 0
    counts.set(transactionHash, ordinal + 1)
    numbered.push({ ...placed, ordinal })
  }
  return numbered
}

/** The times of the blocks whose logs do not say them. */
async function readBlockTimes(endpoint: RpcEndpoint, logs: readonly RpcLog[]): Promise<Map<Hash, Date>> {
  const blocks = new Map(logs.filter((log) => !saysTime(log)).map((log) => [log.blockHash, BigInt(log.blockNumber)]))
  const times = new Map<Hash, Date>()
  for (const [hash, number] of blocks) {
    const block = await readBlock(endpoint, number)
    if (block?.hash !== hash) throw new ChainMoved('A block changed while it was read.')
    times.set(hash, block.time)
  }
  return times
}

/** The chain changed between two answers of one reading; it is read again. */
export class ChainMoved extends Error {
  override name = 'ChainMoved'
}
