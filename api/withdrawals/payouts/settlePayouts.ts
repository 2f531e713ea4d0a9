import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { Address, Hash } from 'viem'
import { SECOND } from '#shared/dates.ts'
import { inParallel } from '#api/platform/chain/inParallel.ts'
import { type Receipt, readReceipt, readReceiptsOfTransfers } from '#api/platform/chain/readReceipt.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { LeadershipLost } from '#api/platform/db/lead.ts'
import { unnest } from '#api/platform/db/unnest.ts'
import { query } from '#api/entities/tables.ts'
import type { PayoutState } from '#api/entities/Payout.ts'
import { completeWithdrawals } from '../requests/completeWithdrawals.ts'
import { refundWithdrawal } from '../requests/refundWithdrawal.ts'
import { lockSent, lockWithdrawals } from './lockSent.ts'
import type { PayoutDesk } from './PayoutDesk.ts'
import { type ChainView, countFinal } from './readChain.ts'
import { stopWallet } from '../payoutWallets/stopWallet.ts'
import { takeBackSweep } from './sweepFees.ts'

/** An unsettled payout with its transactions, newest first. */
type OpenPayout = Awaited<ReturnType<typeof readOpen>>[number]

interface Outcome {
  payout: OpenPayout
  state: Exclude<PayoutState, 'sent'>
  /** The final transaction; null if none of ours is final. */
  hash: Hash | null
  /** The transfer's index among the token's transfers in the transaction. */
  ordinal: number
}

const AT_A_LOOK = 2_000
const AT_ONCE = 16
const IN_ONE_TRANSACTION = 100

/**
 * How long the receipt of a used nonce must be missing everywhere before the payout counts as lost; an endpoint may serve the nonce
 * earlier than the receipt.
 */
const LOST_AFTER = 30 * SECOND

/** From this number of payouts on, receipts are derived from the transfers of whole blocks. */
const MANY = 16
/** The largest range of blocks in one request for transfers. */
const BLOCKS_AT_ONCE = 50n

/** State carried from one round to the next. */
export interface SettlementNotes {
  /** Payouts whose nonce is used without a receipt of ours, with the time of first detection. */
  missing: Map<string, Date>
  /** The newest final block of the last round. */
  lookedUpTo: bigint | undefined
}

/** Settles the payouts that are final on the chain (money.md 25). @returns their number. */
export async function settlePayouts(desk: PayoutDesk, view: ChainView, notes: SettlementNotes): Promise<number> {
  const outcomes = await readOutcomes(desk, view, notes)
  if (outcomes.length === 0) return 0
  await desk.step('receiptRead')
  // A refund locks the owner's account, so each runs in its own transaction (`moveXcr`). Refunds are rare.
  for (const outcome of outcomes.filter(givesBack)) await writeOutcomes(desk, [outcome])
  const others = outcomes.filter((outcome) => !givesBack(outcome))
  for (let index = 0; index < others.length; index += IN_ONE_TRANSACTION)
    await writeOutcomes(desk, others.slice(index, index + IN_ONE_TRANSACTION))
  await desk.step('settled')
  return outcomes.length
}

async function readOutcomes(desk: PayoutDesk, view: ChainView, notes: SettlementNotes): Promise<Outcome[]> {
  const payouts = await readOpen(desk, view.final ?? view.mined)
  const token = desk.services.config.XCR_TOKEN_ADDRESS
  const receipts = payouts.length < MANY ? undefined : await readNewReceipts(view, token, notes)
  notes.lookedUpTo = view.finalBlock
  const found = await inParallel(payouts, AT_ONCE, async (payout) => ({
    payout,
    mined: (receipts && pick(receipts, payout)) ?? (await findReceipt(view.endpoint, payout, token)),
  }))
  // Read after the receipts: a block that is still canonical now was canonical when they were read.
  const hashes = await readHashes(
    view.endpoint,
    new Set(found.flatMap(({ mined }) => (mined ? [mined.receipt.blockNumber] : []))),
  )

  const outcomes: Outcome[] = []
  for (const { payout, mined } of found) {
    if (!mined) {
      if (await isLost(desk, view, payout, notes)) outcomes.push({ payout, state: 'lost', hash: null, ordinal: 0 })
      continue
    }
    notes.missing.delete(payout.id)
    const { receipt } = mined
    if (receipt.blockNumber > view.finalBlock || hashes.get(receipt.blockNumber) !== receipt.blockHash) continue
    const outcome = judge(desk, payout, mined)
    if (!givesBack(outcome) || !(await isPaidElsewhere(desk, view, payout))) outcomes.push(outcome)
  }
  return outcomes
}

const readOpen = (desk: PayoutDesk, usedNonces: number) =>
  desk.read
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
    .where('p.wallet', '=', desk.account.address)
    .where('p.state', '=', 'sent')
    .where('p.nonce', '<', usedNonces)
    .orderBy('p.nonce')
    .limit(AT_A_LOOK)
    .execute()

interface Mined {
  attempt: OpenPayout['attempts'][number]
  receipt: Receipt
}

/** The receipts of the blocks that became final since the last round. */
async function readNewReceipts({ endpoint, finalBlock }: ChainView, token: Address, { lookedUpTo }: SettlementNotes) {
  if (lookedUpTo === undefined || lookedUpTo >= finalBlock) return undefined
  const from = finalBlock - lookedUpTo > BLOCKS_AT_ONCE ? finalBlock - BLOCKS_AT_ONCE + 1n : lookedUpTo + 1n
  return readReceiptsOfTransfers(endpoint, { token, from, to: finalBlock })
}

function pick(receipts: ReadonlyMap<Hash, Receipt>, { attempts }: OpenPayout): Mined | undefined {
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
  const pairs = await inParallel(
    [...numbers],
    AT_ONCE,
    async (number) => [number, (await readBlock(endpoint, number))?.hash] as const,
  )
  return new Map(pairs)
}

function judge(desk: PayoutDesk, payout: OpenPayout, { attempt, receipt }: Mined): Outcome {
  const outcome = { payout, hash: attempt.hash, ordinal: 0 }
  if (attempt.kind === 'cancel') return { ...outcome, state: 'cancelled' }
  if (!receipt.succeeded) return { ...outcome, state: 'reverted' }
  const ordinal = receipt.transfers.findIndex(
    ({ sender, recipient, amount }) =>
      sender === desk.account.address && recipient === payout.recipient && amount === payout.amount,
  )
  // The token reported success but moved something else, which needs an operator.
  return ordinal < 0 ? { ...outcome, state: 'lost' } : { ...outcome, state: 'paid', ordinal }
}

const givesBack = ({ state }: Outcome): boolean => state === 'reverted' || state === 'cancelled'

/** Whether another endpoint shows the payment as mined: a refund needs all endpoints to agree. */
async function isPaidElsewhere(desk: PayoutDesk, view: ChainView, payout: OpenPayout): Promise<boolean> {
  const { XCR_TOKEN_ADDRESS: token } = desk.services.config
  const others = desk.endpoints.filter((endpoint) => endpoint !== view.endpoint)
  const answers = await Promise.all(others.map((endpoint) => findReceipt(endpoint, payout, token).catch(() => undefined)))
  const isPaid = answers.some((mined) => mined?.attempt.kind === 'pay' && mined.receipt.succeeded)
  if (isPaid)
    await desk.alert(
      `disagree ${payout.id}`,
      `The endpoints of the reward chain disagree: one says that ${payout.cause} was not paid, another that it was. It waits until they agree.`,
    )
  else desk.over(`disagree ${payout.id}`)
  return isPaid
}

/** Whether the nonce is final and no answering endpoint has had a receipt of ours for `LOST_AFTER`. */
async function isLost(desk: PayoutDesk, view: ChainView, payout: OpenPayout, { missing }: SettlementNotes): Promise<boolean> {
  if (view.final === undefined || payout.nonce >= view.final) return false
  const now = desk.services.clock.now()
  const since = missing.get(payout.id)
  if (!since) missing.set(payout.id, now)
  if (!since || now.getTime() - since.getTime() < LOST_AFTER) return false
  const { XCR_TOKEN_ADDRESS: token } = desk.services.config
  const others = desk.endpoints.filter((endpoint) => endpoint !== view.endpoint)
  const denials = await Promise.all(
    others.map((endpoint) =>
      Promise.all([findReceipt(endpoint, payout, token), countFinal(endpoint, desk.account.address, view.finalBlock)]).then(
        ([mined, final]) => !mined && (final === undefined || final > payout.nonce),
        () => true,
      ),
    ),
  )
  return denials.every(Boolean)
}

/** Writes all outcomes in one transaction. If that fails, each in its own, so that a bad one does not block the others. */
async function writeOutcomes(desk: PayoutDesk, outcomes: readonly Outcome[]): Promise<void> {
  try {
    await write(desk, outcomes)
  } catch (error) {
    if (error instanceof LeadershipLost) throw error
    if (outcomes.length === 1) {
      const [{ payout }] = outcomes as [Outcome]
      await desk.alert(`settle ${payout.id}`, `The payout of ${payout.cause} is final and cannot be settled: ${String(error)}`)
      return
    }
    for (const outcome of outcomes) await writeOutcomes(desk, [outcome])
  }
}

async function write(desk: PayoutDesk, outcomes: readonly Outcome[]): Promise<void> {
  const { services, account } = desk
  const now = services.clock.now()
  const stopped = await desk.write(async (em) => {
    const open = await lockOpen(em, outcomes)
    if (open.length === 0) return undefined
    await query(em)
      .updateTable('payouts')
      .from(
        unnest(
          'settled',
          { id: 'uuid', outcome: 'text', hash: 'text' },
          open.map(({ payout, state, hash }) => ({ id: payout.id, outcome: state, hash })),
        ),
      )
      .set((eb) => ({ state: eb.ref('settled.outcome'), finalHash: eb.ref('settled.hash'), settledAt: now }))
      .whereRef('payouts.id', '=', 'settled.id')
      .execute()
    const lost = open.filter(({ state }) => state === 'lost')
    const because = lost[0] && describeLoss(lost[0])
    if (because) {
      const unpaid = lost.flatMap(({ payout }) => payout.withdrawalId ?? [])
      await query(em)
        .updateTable('withdrawals')
        .set({ status: 'manual_review', reviewReason: 'unknown_outcome' })
        .where('id', '=', sql<string>`any(${unpaid}::uuid[])`)
        .execute()
      await stopWallet(em, { address: account.address, because, now })
      await desk.mailOperator(em, because)
    }
    const paid = open.filter(({ state }) => state === 'paid')
    await completeWithdrawals(
      em,
      services,
      paid.flatMap(({ payout, hash, ordinal }) =>
        payout.withdrawalId && hash ? [{ id: payout.withdrawalId, transactionHash: hash, transferOrdinal: ordinal }] : [],
      ),
    )
    for (const outcome of open) {
      const { payout, hash } = outcome
      if (!givesBack(outcome)) continue
      if (payout.withdrawalId)
        await refundWithdrawal(em, services, {
          id: payout.withdrawalId,
          ...(hash && { transactionHash: hash }),
        })
      else await takeBackSweep(em, payout)
    }
    return because
  })
  if (stopped) desk.log(stopped)
}

/** Locks the withdrawals and returns the outcomes whose payouts are still open, because an administrator may have decided meanwhile. */
async function lockOpen(em: EntityManager, outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const withdrawals = outcomes.flatMap(({ payout }) => payout.withdrawalId ?? [])
  await lockWithdrawals(em, withdrawals)
  const rows = await lockSent(
    em,
    outcomes.map(({ payout }) => payout.id),
  )
  const open = new Set(rows.map(({ id }) => id))
  return outcomes.filter(({ payout }) => open.has(payout.id))
}

const describeLoss = ({ payout, hash }: Outcome): string =>
  hash
    ? `The transaction ${hash} was to pay ${payout.cause} and moved something else. Payouts are stopped until \`npm run admin -- reconcile-payouts\`.`
    : `Nonce ${payout.nonce} of the payout wallet is used up by a transaction that is not ours; it was to pay ${payout.cause}. Payouts are ` +
      'stopped until `npm run admin -- reconcile-payouts`.'
