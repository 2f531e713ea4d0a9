import type { Address, Hash } from 'viem'
import { readSentTransfers } from '#api/platform/chain/readSentTransfers.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Services } from '#api/platform/services.ts'
import { requireUnanimity, readFromAll, CannotReconcile } from './requireUnanimity.ts'
import { readExplained } from '../payoutWallets/explainedTransfers.ts'
import { type OwnTransfer, readOwnTransfers } from './readOwnTransfers.ts'

type Needed = Pick<Services, 'orm' | 'config'>

interface Wanted {
  endpoints: readonly RpcEndpoint[]
  address: Address
  /** The newest block to read. */
  upTo: bigint
}

/** The newest final block of the endpoint that is furthest behind. @throws CannotReconcile if there is none. */
export async function readFinalBlock(
  endpoints: readonly RpcEndpoint[],
  { XCR_CONFIRMATIONS }: Needed['config'],
): Promise<bigint> {
  const heads = await readFromAll(endpoints, async (endpoint) => (await readBlock(endpoint, 'latest'))?.number ?? 0n)
  const head = heads.reduce((least, one) => (one < least ? one : least))
  const finalBlock = head - BigInt(XCR_CONFIRMATIONS) + 1n
  if (finalBlock < 0n) throw new CannotReconcile('The reward chain is too short for anything to be final.')
  return finalBlock
}

/** All unexplained transfers from a wallet on which all endpoints agree. */
export async function readUnexplained(services: Needed, { endpoints, address, upTo }: Wanted): Promise<OwnTransfer[]> {
  const sent = await requireUnanimity(endpoints, 'what the wallet has paid', (endpoint) =>
    readSentTransfers(endpoint, { token: services.config.XCR_TOKEN_ADDRESS, senders: [address], upTo }),
  )
  const hashes = [...new Set(sent.map(({ transactionHash }) => transactionHash))]
  return readUnexplainedOf(services, { endpoints, address, upTo, hashes })
}

/** The unexplained transfers within these transactions. */
export async function readUnexplainedOf(
  { orm, config }: Needed,
  { endpoints, address, upTo, hashes }: Wanted & { hashes: readonly Hash[] },
): Promise<OwnTransfer[]> {
  const explained = await readExplained(orm.em.fork(), hashes)
  const unknown = hashes.filter((hash) => !explained.hasTransaction(hash))
  const transfers = await requireUnanimity(endpoints, 'what the wallet has paid', (endpoint) =>
    readOwnTransfers(endpoint, { wallet: address, token: config.XCR_TOKEN_ADDRESS, hashes: unknown }),
  )
  return transfers.filter((transfer) => transfer.blockNumber <= upTo && !explained.has(transfer))
}
