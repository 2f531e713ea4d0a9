import type { Address, Hash } from 'viem'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import { SECOND } from '#shared/dates.ts'
import { readAgreedFinality } from '#api/platform/chain/readAgreedFinality.ts'
import { readAgreedReceipt } from '#api/platform/chain/readAgreedReceipt.ts'
import { mapConcurrent } from '#api/platform/chain/mapConcurrent.ts'
import { type Receipt, readReceipt, readReceiptsOfTransfers } from '#api/platform/chain/readReceipt.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { PayoutState } from '#api/entities/Payout.ts'
import type { PayoutContext } from './PayoutContext.ts'
import { type ChainView, countFinal } from './readChain.ts'

/** An unsettled payout with its transactions, newest first. */
type OpenPayout = Awaited<ReturnType<typeof readOpen>>[number]

export interface Outcome {
  payout: OpenPayout
  state: Exclude<PayoutState, 'sent'>
  /** The final transaction; null if none of ours is final. */
  hash: Hash | null
  /** The transfer's index among the token's transfers in the transaction. */
  ordinal: number
}

const MAX_PAYOUTS_PER_ROUND = 2_000
const MAX_CONCURRENT_REQUESTS = 16

/**
 * How long the receipt of a used nonce must be missing everywhere before the payout counts as lost; an endpoint may serve the nonce
 * earlier than the receipt.
 */
const LOST_AFTER = 30 * SECOND

/** From this number of payouts on, receipts are derived from the transfers of whole blocks. */
const BLOCK_READ_THRESHOLD = 16
/** The largest range of blocks in one request for transfers. */
const MAX_BLOCK_RANGE = 50n

/** State carried from one round to the next. */
export interface SettlementNotes {
  /** Payouts whose nonce is used without a receipt of ours, with the time and the newest block of first detection. */
  missing: Map<string, { since: Date; head: bigint }>
  /** Payouts that only one endpoint shows as not paid, with the time of first detection. */
  unagreed: Map<string, Date>
  /** The newest final block of the last round. */
  lastFinalBlock: bigint | undefined
}

/** The outcomes of the payouts that are final on the chain, as far as the endpoints agree (money.md 25). */
export async function readOutcomes(context: PayoutContext, view: ChainView, notes: SettlementNotes): Promise<Outcome[]> {
  const payouts = await readOpen(context, view.final ?? view.mined)
  const token = context.services.config.XCR_TOKEN_ADDRESS
  const receipts = payouts.length < BLOCK_READ_THRESHOLD ? undefined : await readNewReceipts(view, token, notes)
  notes.lastFinalBlock = view.finalBlock
  // Their nonce is unused again, or they are settled.
  for (const noted of [notes.missing, notes.unagreed])
    for (const id of noted.keys()) if (!payouts.some((payout) => payout.id === id)) noted.delete(id)
  const found = await mapConcurrent(payouts, MAX_CONCURRENT_REQUESTS, async (payout) => ({
    payout,
    mined: (receipts && findInReceipts(receipts, payout)) ?? (await findReceipt(view.endpoint, payout, token)),
  }))
  // Read after the receipts: a block that is still canonical now was canonical when they were read.
  const hashes = await readHashes(
    view.endpoint,
    new Set(found.flatMap(({ mined }) => (mined ? [mined.receipt.blockNumber] : []))),
  )

  const outcomes: Outcome[] = []
  for (const { payout, mined } of found) {
    if (!mined) {
      if (await isLost(context, view, payout, notes)) outcomes.push({ payout, state: 'lost', hash: null, ordinal: 0 })
      continue
    }
    notes.missing.delete(payout.id)
    const { receipt } = mined
    if (receipt.blockNumber > view.finalBlock || hashes.get(receipt.blockNumber) !== receipt.blockHash) continue
    const outcome = toOutcome(context, payout, mined)
    if (!isRefund(outcome)) outcomes.push(outcome)
    else if (!(await isPaidElsewhere(context, view, payout)) && (await isAgreed(context, outcome, notes))) outcomes.push(outcome)
  }
  return outcomes
}

const readOpen = (context: PayoutContext, usedNonces: number) =>
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

interface Mined {
  attempt: OpenPayout['attempts'][number]
  receipt: Receipt
}

/** The receipts of the blocks that became final since the last round. */
async function readNewReceipts({ endpoint, finalBlock }: ChainView, token: Address, { lastFinalBlock }: SettlementNotes) {
  if (lastFinalBlock === undefined || lastFinalBlock >= finalBlock) return undefined
  const from = finalBlock - lastFinalBlock > MAX_BLOCK_RANGE ? finalBlock - MAX_BLOCK_RANGE + 1n : lastFinalBlock + 1n
  return readReceiptsOfTransfers(endpoint, { token, from, to: finalBlock })
}

function findInReceipts(receipts: ReadonlyMap<Hash, Receipt>, { attempts }: OpenPayout): Mined | undefined {
  for (const attempt of attempts) {
    const receipt = receipts.get(attempt.hash)
    if (receipt) return { attempt, receipt }
  }
  return undefined
}

async function findReceipt(endpoint: RpcEndpoint, { attempts }: OpenPayout, token: Address): Promise<Mined | undefined> {
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

function toOutcome(context: PayoutContext, payout: OpenPayout, { attempt, receipt }: Mined): Outcome {
  const outcome = { payout, hash: attempt.hash, ordinal: 0 }
  if (attempt.kind === 'cancel') return { ...outcome, state: 'cancelled' }
  if (!receipt.succeeded) return { ...outcome, state: 'reverted' }
  const ordinal = receipt.transfers.findIndex(
    ({ sender, recipient, amount }) =>
      sender === context.account.address && recipient === payout.recipient && amount === payout.amount,
  )
  // The token reported success but moved something else, which needs an operator.
  return ordinal < 0 ? { ...outcome, state: 'lost' } : { ...outcome, state: 'paid', ordinal }
}

export const isRefund = ({ state }: Outcome): boolean => state === 'reverted' || state === 'cancelled'

/**
 * Whether two hosts show the transaction that did not pay, alike and final. A single one could say so, keep the payment back, and send it once
 * it is refunded.
 */
async function isAgreed(
  context: PayoutContext,
  { payout, hash, state }: Outcome,
  { unagreed }: SettlementNotes,
): Promise<boolean> {
  const { endpoints, services } = context
  const agreement = await readAgreedReceipt(endpoints, hash!)
  const isAlike = agreement.kind === 'agreed' && (state === 'cancelled' || !agreement.answer.succeeded)
  if (isAlike && (await readAgreedFinality(endpoints, agreement.answer, services.config.XCR_CONFIRMATIONS)).isFinal) {
    unagreed.delete(payout.id)
    context.endAlert(`unagreed ${payout.id}`)
    return true
  }
  // Another host may only be a few blocks behind.
  const now = services.clock.now()
  const since = unagreed.get(payout.id) ?? now
  unagreed.set(payout.id, since)
  if (now.getTime() - since.getTime() >= LOST_AFTER)
    await context.alert(
      `unagreed ${payout.id}`,
      `One endpoint of the reward chain says that ${payout.cause} was not paid, and no other confirms it. It is not refunded until two agree.`,
    )
  return false
}

/** Whether another endpoint shows the payment as mined: a refund needs all endpoints to agree. */
async function isPaidElsewhere(context: PayoutContext, view: ChainView, payout: OpenPayout): Promise<boolean> {
  const { XCR_TOKEN_ADDRESS: token } = context.services.config
  const others = context.endpoints.filter((endpoint) => endpoint !== view.endpoint)
  const answers = await Promise.all(others.map((endpoint) => findReceipt(endpoint, payout, token).catch(() => undefined)))
  const isPaid = answers.some((mined) => mined?.attempt.kind === 'pay' && mined.receipt.succeeded)
  if (isPaid)
    await context.alert(
      `disagree ${payout.id}`,
      `The endpoints of the reward chain disagree: one says that ${payout.cause} was not paid, another that it was. It waits until they agree.`,
    )
  else context.endAlert(`disagree ${payout.id}`)
  return isPaid
}

/** Whether the nonce is final and no answering endpoint has had a receipt of ours for `LOST_AFTER`. */
async function isLost(
  context: PayoutContext,
  view: ChainView,
  payout: OpenPayout,
  { missing }: SettlementNotes,
): Promise<boolean> {
  if (payout.nonce >= (view.final ?? view.mined)) return false
  const now = context.services.clock.now()
  const first = missing.get(payout.id)
  if (!first) missing.set(payout.id, { since: now, head: view.head })
  if (!first || now.getTime() - first.since.getTime() < LOST_AFTER) return false
  const { XCR_TOKEN_ADDRESS: token, XCR_CONFIRMATIONS: confirmations } = context.services.config
  // Without the state of the final block, the nonce is final once it has been used for as many blocks.
  if (view.final === undefined && view.head - first.head < BigInt(confirmations)) return false
  const others = context.endpoints.filter((endpoint) => endpoint !== view.endpoint)
  const denials = await Promise.all(
    others.map((endpoint) =>
      Promise.all([findReceipt(endpoint, payout, token), countFinal(endpoint, context.account.address, view.finalBlock)]).then(
        ([mined, final]) => !mined && (final === undefined || final > payout.nonce),
        () => true,
      ),
    ),
  )
  return denials.every(Boolean)
}
