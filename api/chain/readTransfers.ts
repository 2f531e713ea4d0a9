import type { Address, Hash, Hex } from 'viem'
import { RpcFailure } from './createJsonRpc.ts'
import { hostOf, type RpcEndpoint } from './RpcEndpoint.ts'

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
  status: Hex
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

/** Every transfer of the token to us in a range of blocks, in the order of the chain. @throws what the endpoint refuses with. */
export async function readTransfers(
  endpoint: RpcEndpoint,
  { token, recipients, from, to }: TransferFilter & { from: bigint; to: bigint },
): Promise<Transfer[]> {
  const logs = await endpoint.request<RpcLog[]>('eth_getLogs', [
    { address: token, topics: [TRANSFER_TOPIC, null, recipients.map(padAddress)], fromBlock: toHex(from), toBlock: toHex(to) },
  ])
  const times = await readBlockTimes(endpoint, logs)
  const topics = new Map<string, Address>(recipients.map((recipient) => [padAddress(recipient), recipient]))
  const placed = logs.flatMap((log): PlacedLog[] => {
    const recipient = topics.get(log.topics[2]?.toLowerCase() ?? '')
    if (!recipient || log.removed === true || !isTransfer(log, token)) return []
    // A payment is not passed over because its node tells it badly: the range is read again, from elsewhere.
    if (!isWord(log.transactionHash) || !isWord(log.blockHash))
      throw new RpcFailure(`${hostOf(endpoint.url)} told a log without its hashes`)
    const number = Number(log.blockNumber)
    return number >= from && number <= to ? [{ log, recipient, number, index: Number(log.logIndex) }] : []
  })
  return numberTransfers(placed).map(({ log, recipient, number, index, ordinal }) => ({
    transactionHash: log.transactionHash,
    ordinal,
    logIndex: index,
    sender: unpadAddress(log.topics[1]!),
    recipient,
    amount: BigInt(log.data),
    blockNumber: BigInt(number),
    blockHash: log.blockHash,
    blockTime: saysTime(log) ? toTime(log.blockTimestamp) : times.get(log.blockHash)!,
  }))
}

/** A log to one of our addresses, with its place on the chain. */
interface PlacedLog {
  log: RpcLog
  recipient: Address
  number: number
  index: number
}

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
function numberTransfers(logs: PlacedLog[]): (PlacedLog & { ordinal: number })[] {
  const numbered: (PlacedLog & { ordinal: number })[] = []
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
async function readBlockTimes(endpoint: RpcEndpoint, logs: RpcLog[]): Promise<Map<Hash, Date>> {
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

/**
 * Whether a transfer stands in the receipt of its transaction: mined in that block, successful, with that log.
 *
 * A receipt the endpoint does not have is `unknown`, never a no.
 */
export async function findInReceipt(
  endpoint: RpcEndpoint,
  transfer: Pick<Transfer, 'transactionHash' | 'blockHash' | 'logIndex' | 'sender' | 'recipient' | 'amount'> & { token: Address },
): Promise<'present' | 'absent' | 'unknown'> {
  const receipt = await endpoint.request<RpcReceipt | null>('eth_getTransactionReceipt', [transfer.transactionHash])
  if (!receipt || receipt.blockHash !== transfer.blockHash) return 'unknown'
  if (receipt.status !== '0x1') return 'absent'
  const found = receipt.logs.some(
    (log) =>
      Number(log.logIndex) === transfer.logIndex &&
      isTransfer(log, transfer.token) &&
      unpadAddress(log.topics[1]!) === transfer.sender &&
      unpadAddress(log.topics[2]!) === transfer.recipient &&
      BigInt(log.data) === transfer.amount,
  )
  return found ? 'present' : 'absent'
}
