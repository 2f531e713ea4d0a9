import type { Address, Hash, Hex } from 'viem'
import { AnswerTooLarge, RpcFailure } from './rpcErrors.ts'
import { mapConcurrent } from './mapConcurrent.ts'
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
  /** Its index among the transfers to us in the transaction; unlike the log index it is not changed by a reorganization. */
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
  /** Only some nodes include it, which saves a request per block. */
  blockTimestamp?: Hex
  transactionHash: Hash
  logIndex: Hex
  removed?: boolean
}

interface RpcReceipt {
  transactionHash: Hash
  status: string
  /** Null in receipts of pending transactions, which some nodes return. */
  blockNumber: Hex | null
  blockHash: Hash
  logs: RpcLog[]
}

export const toHex = (number: bigint): Hex => `0x${number.toString(16)}`
/** The end of the year 9999, in seconds. Not every later time can be stored. */
const MAX_TIME = 253_402_300_799
function toTime(seconds: Hex): Date {
  if (!(Number(seconds) >= 0 && Number(seconds) <= MAX_TIME))
    throw new RpcFailure('An endpoint returned a block of no possible time')
  return new Date(Number(seconds) * 1_000)
}
/** An address as a topic: 32 bytes, left-padded with zeros. */
export const padAddress = (address: Address): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
export const unpadAddress = (topic: Hex): Address => `0x${topic.slice(-40).toLowerCase()}`

/** Reads a block by number or tag; null if the endpoint does not have it. */
export async function readBlock(endpoint: RpcEndpoint, which: bigint | 'latest' | 'finalized'): Promise<Block | null> {
  const block = await endpoint.request<RpcBlock | null>('eth_getBlockByNumber', [
    typeof which === 'bigint' ? toHex(which) : which,
    false,
  ])
  if (!block) return null
  const { number, hash, parentHash, timestamp } = block
  return { number: BigInt(number), hash: toLower(hash), parentHash: toLower(parentHash), time: toTime(timestamp) }
}

/** One spelling for each hash: with two, a transfer would count twice (money.md 1). */
export const toLower = <Text extends Hex>(text: Text): Text => text.toLowerCase() as Text

/**
 * All transfers of the token to our addresses in a range of blocks, in chain order.
 *
 * If the endpoint refuses the logs of a single block, or they are too large, the block is read receipt by receipt, so that no
 * number of transfers can halt the reading and only few receipts are in memory at a time.
 *
 * @throws the endpoint's error.
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

/** Concurrent receipt reads within one block. */
const MAX_CONCURRENT_RECEIPTS = 8

async function readTransfersOfBlock(endpoint: RpcEndpoint, number: bigint, filter: TransferFilter): Promise<Transfer[]> {
  const block = await endpoint.request<(RpcBlock & { transactions: Hash[] }) | null>('eth_getBlockByNumber', [
    toHex(number),
    false,
  ])
  if (!block) throw new ChainMoved('A block disappeared while it was read.')
  const transfers = await mapConcurrent(block.transactions, MAX_CONCURRENT_RECEIPTS, async (hash) => {
    const receipt = await readRawReceipt(endpoint, hash)
    if (receipt?.blockHash !== block.hash) throw new ChainMoved('A block changed while it was read.')
    return transfersOfReceipt(endpoint, receipt, filter).map((transfer) => toTransfer(transfer, toTime(block.timestamp)))
  })
  return transfers.flat()
}

/** The receipt as returned by the endpoint; null if it has none, which proves nothing because it may lag behind. */
export const readRawReceipt = (endpoint: RpcEndpoint, hash: Hash): Promise<RpcReceipt | null> =>
  endpoint.request<RpcReceipt | null>('eth_getTransactionReceipt', [hash], { maxAnswer: MAX_RECEIPT })

/** The transfers to us in a transaction, numbered by its receipt, which unlike a list of logs is complete (money.md 1). */
function transfersOfReceipt(endpoint: RpcEndpoint, receipt: RpcReceipt, filter: TransferFilter): NumberedLog[] {
  return receipt.status === '0x1' ? numberTransfers(placeLogs(endpoint, receipt.logs, filter)) : []
}

/** The largest that the database can store. */
const MAX_LOG_INDEX = 2 ** 31 - 1
const isLogIndex = (index: number): boolean => Number.isInteger(index) && index >= 0 && index <= MAX_LOG_INDEX

/**
 * Selects the token's transfers to us. @throws RpcFailure for a log that cannot be stored, so that it is read again from another
 * endpoint.
 */
function placeLogs(endpoint: RpcEndpoint, logs: readonly RpcLog[], { token, recipients }: TransferFilter): PlacedLog[] {
  const topics = new Map<string, Address>(recipients.map((recipient) => [padAddress(recipient), recipient]))
  return logs.flatMap((log): PlacedLog[] => {
    const recipient = topics.get(log.topics[2]?.toLowerCase() ?? '')
    if (!recipient || log.removed === true || !isTransfer(log, token)) return []
    if (![log.transactionHash, log.blockHash, log.topics[1]].every(isWord) || !isLogIndex(Number(log.logIndex)))
      throw new RpcFailure(`${hostOf(endpoint.url)} returned a malformed log`)
    const { transactionHash, blockHash } = log
    const spelled = { ...log, transactionHash: toLower(transactionHash), blockHash: toLower(blockHash) }
    return [{ log: spelled, recipient, number: Number(log.blockNumber), index: Number(log.logIndex) }]
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

/** A transfer log to one of our addresses, with its position on the chain. */
interface PlacedLog {
  log: RpcLog
  recipient: Address
  number: number
  index: number
}

type NumberedLog = PlacedLog & { ordinal: number }

/** Some nodes return zero instead of omitting the time. */
const saysTime = (log: RpcLog): log is RpcLog & { blockTimestamp: Hex } => Number(log.blockTimestamp ?? 0) > 0

/**
 * Verifies that the log matches the filter, because an endpoint that returns another token, event or recipient must not cause a
 * credit.
 */
export const isTransfer = (log: Pick<RpcLog, 'address' | 'topics' | 'data'>, token: Address): boolean =>
  log.topics.length === 3 &&
  log.topics[0] === TRANSFER_TOPIC &&
  log.address.toLowerCase() === token.toLowerCase() &&
  isWord(log.data)

const isWord = (text: unknown): boolean => typeof text === 'string' && /^0x[0-9a-f]{64}$/i.test(text)

/** Numbers the transfers of each transaction in log order. Repeated logs count once. */
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

/** Reads the times of blocks whose logs do not include them. */
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

/** The chain changed during a read, which must be repeated. */
export class ChainMoved extends Error {
  override name = 'ChainMoved'
}
