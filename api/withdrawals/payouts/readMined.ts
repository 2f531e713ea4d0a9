import type { Address, Hash } from 'viem'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import { mapConcurrent } from '#api/platform/chain/mapConcurrent.ts'
import { type Receipt, readReceipt, readReceiptsOfTransfers } from '#api/platform/chain/readReceipt.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { PayoutContext } from './PayoutContext.ts'
import type { ChainView } from './readChain.ts'

const MAX_PAYOUTS_PER_ROUND = 2_000
const MAX_CONCURRENT_REQUESTS = 16
/** From this number of payouts on, receipts are derived from the transfers of whole blocks. */
const BLOCK_READ_THRESHOLD = 16
/** The largest range of blocks in one request for transfers. */
const MAX_BLOCK_RANGE = 50n

/** An unsettled payout with its transactions, newest first. */
export type OpenPayout = Awaited<ReturnType<typeof readOpenPayouts>>[number]

/** The unsettled payouts whose nonce is used, in nonce order. */
export const readOpenPayouts = (context: PayoutContext, usedNonces: number) =>
  context.read
    .selectFrom('payouts as p')
    .select((eb) => [
      'p.id',
      'p.nonce',
      'p.cause',
      'p.withdrawal as withdrawalId',
      'p.recipient',
      'p.amount',
      eb
        .selectFrom('payout_attempts as a')
        .select(({ fn, ref }) =>
          fn
            .jsonAgg(jsonBuildObject({ hash: ref('a.hash'), kind: ref('a.kind') }))
            .orderBy('a.id', 'desc')
            .as('all'),
        )
        .whereRef('a.payout', '=', 'p.id')
        .$asScalar()
        .$notNull()
        .as('attempts'),
    ])
    .where('p.wallet', '=', context.account.address)
    .where('p.state', '=', 'sent')
    .where('p.nonce', '<', usedNonces)
    .orderBy('p.nonce')
    .limit(MAX_PAYOUTS_PER_ROUND)
    .execute()

/** A mined transaction of a payout. */
export interface Found {
  attempt: OpenPayout['attempts'][number]
  receipt: Receipt
}

export interface Mined extends Found {
  /** Whether the endpoint counts its block as canonical and final. */
  isFinal: boolean
}

/** An endpoint and what is final there. */
type FinalView = Pick<ChainView, 'endpoint' | 'finalBlock'>

interface Search {
  payouts: readonly OpenPayout[]
  token: Address
  /** The newest final block of the last round. */
  lastFinalBlock: bigint | undefined
}

/** The mined transactions of payouts, by the payout's id, as one endpoint shows them. */
export async function readMined(view: FinalView, { payouts, token, lastFinalBlock }: Search): Promise<Map<string, Mined>> {
  const { endpoint, finalBlock } = view
  const receipts = payouts.length < BLOCK_READ_THRESHOLD ? undefined : await readNewReceipts(view, token, lastFinalBlock)
  const found = await mapConcurrent(payouts, MAX_CONCURRENT_REQUESTS, async (payout) => ({
    id: payout.id,
    mined: (receipts && findInReceipts(receipts, payout)) ?? (await findReceipt(endpoint, payout, token)),
  }))
  const mined = found.flatMap(({ id, mined }) => (mined ? [{ id, ...mined }] : []))
  // Read after the receipts: a block that is still canonical now was canonical when they were read.
  const hashes = await readHashes(endpoint, new Set(mined.map(({ receipt }) => receipt.blockNumber)))
  return new Map(
    mined.map(({ id, attempt, receipt }) => {
      const { blockNumber, blockHash } = receipt
      return [id, { attempt, receipt, isFinal: blockNumber <= finalBlock && hashes.get(blockNumber) === blockHash }]
    }),
  )
}

/** The receipts of the blocks that became final since the last round. */
async function readNewReceipts({ endpoint, finalBlock }: FinalView, token: Address, lastFinalBlock: bigint | undefined) {
  if (lastFinalBlock === undefined || lastFinalBlock >= finalBlock) return undefined
  const from = finalBlock - lastFinalBlock > MAX_BLOCK_RANGE ? finalBlock - MAX_BLOCK_RANGE + 1n : lastFinalBlock + 1n
  return readReceiptsOfTransfers(endpoint, { token, from, to: finalBlock })
}

function findInReceipts(receipts: ReadonlyMap<Hash, Receipt>, { attempts }: OpenPayout): Found | undefined {
  for (const attempt of attempts) {
    const receipt = receipts.get(attempt.hash)
    if (receipt) return { attempt, receipt }
  }
  return undefined
}

/** The first mined transaction of a payout, the newest first. */
export async function findReceipt(endpoint: RpcEndpoint, { attempts }: OpenPayout, token: Address): Promise<Found | undefined> {
  for (const attempt of attempts) {
    const receipt = await readReceipt(endpoint, attempt.hash, token)
    if (receipt) return { attempt, receipt }
  }
  return undefined
}

async function readHashes(endpoint: RpcEndpoint, numbers: ReadonlySet<bigint>): Promise<Map<bigint, Hash | undefined>> {
  const pairs = await mapConcurrent(
    [...numbers],
    MAX_CONCURRENT_REQUESTS,
    async (number) => [number, (await readBlock(endpoint, number))?.hash] as const,
  )
  return new Map(pairs)
}
