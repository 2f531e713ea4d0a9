import type { Hash, Hex } from 'viem'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { type Fees, readFees } from '#api/platform/chain/readFees.ts'
import { sql } from '#api/platform/db/sql.ts'
import { broadcast } from './broadcast.ts'
import { isTooDear } from './isTooDear.ts'
import type { PayoutDesk } from './PayoutDesk.ts'
import type { ChainView } from './readChain.ts'
import { lockWallet } from '../payoutWallets/stopWallet.ts'
import { nameTransactions, type NewAttempt, storeAttempts } from './storePayouts.ts'

/** A payout whose nonce is not used up in the newest block, with the newest of its transactions. */
interface WaitingPayout {
  id: string
  attemptId: string
  nonce: number
  withdrawalId: string | null
  recipient: `0x${string}`
  amount: bigint
  open: boolean
  signedBytes: Hex
  hash: Hash
  kind: 'pay' | 'cancel'
  signedAt: Date
  sentAt: Date | null
  cancelRequested: boolean
  fees: Fees
}

/** A node may have lost what it took: the same bytes are sent again this often. */
const RESEND_AFTER = 10 * SECOND
/** A transaction that waits longer is replaced by one with higher fees. */
const STUCK_AFTER = MINUTE
/** Nodes ask for 10 % more from a replacement; some round. */
const raise = (fee: bigint): bigint => (fee * 1_125n) / 1_000n + 1n
/** However long it is stuck, no transaction offers more than this many times what the chain asks now. */
const FEE_LIMIT = 20n

/** Sends what is signed and not mined, from stored bytes, and replaces what is stuck or is to be cancelled at the same nonce. */
export async function sendPayouts(desk: PayoutDesk, view: ChainView): Promise<void> {
  const { waiting, toCancel, tooLow } = await resendPayouts(desk, view)
  const now = desk.services.clock.now().getTime()
  const stuck = waiting.filter(({ signedAt, open }) => open && now - signedAt.getTime() >= STUCK_AFTER)
  if (toCancel.length + tooLow.length + stuck.length === 0) return
  const asked = await readFees(view.endpoint)
  if (await isTooDear(desk, asked)) return
  // Those behind one that is stuck wait for no fault of their own.
  const replaced = new Set([
    ...toCancel,
    ...tooLow,
    ...stuck.filter(({ nonce, fees }) => nonce === view.mined || fees.maxFeePerGas < asked.maxFeePerGas / 2n),
  ])
  const replacements = await replace(
    desk,
    [...replaced].filter(({ open }) => open),
    asked,
  )
  if (replacements.length > 0) {
    await desk.step('stored')
    await broadcast(desk, replacements)
  }
}

/** Sends what is signed and not mined, from stored bytes; that needs no key. */
export async function resendPayouts(desk: PayoutDesk, view: ChainView) {
  const waiting = await readWaiting(desk, view.mined)
  const now = desk.services.clock.now().getTime()
  const toCancel = waiting.filter((payout) => payout.cancelRequested && payout.kind === 'pay' && payout.open)
  const due = waiting.filter(
    ({ sentAt, id }) => (!sentAt || now - sentAt.getTime() >= RESEND_AFTER) && !toCancel.some((one) => one.id === id),
  )
  const refused = await broadcast(
    desk,
    due.map((payout) => ({ ...payout, id: payout.attemptId, payout })),
  )
  return { waiting, toCancel, tooLow: refused.map(({ payout }) => payout) }
}

/**
 * Whatever waits for its nonce to be used in this endpoint's newest block. What was final, too: after a reorganisation deeper than we
 * waited for, its own bytes are all that may be sent at that nonce.
 */
async function readWaiting(desk: PayoutDesk, mined: number): Promise<WaitingPayout[]> {
  const rows = await desk.rows<{
    id: string
    attempt_id: string
    nonce: string
    withdrawal_id: string | null
    recipient: `0x${string}`
    amount: string
    open: boolean
    signed_bytes: Hex
    hash: Hash
    kind: 'pay' | 'cancel'
    signed_at: string
    sent_at: string | null
    cancel_requested: boolean
    max_fee_per_gas: string
    max_priority_fee_per_gas: string
  }>(
    `select distinct on (p.nonce) p.id, a.id as attempt_id, p.nonce, p.withdrawal_id, p.recipient, p.amount, p.state = 'sent' as open,
       a.signed_bytes, a.hash, a.kind, a.signed_at, a.sent_at, p.cancel_requested_at is not null as cancel_requested,
       a.max_fee_per_gas, a.max_priority_fee_per_gas
     from payouts p join payout_attempts a on a.payout_id = p.id
     where p.wallet_address = $1 and p.nonce >= $2
       and (p.state = 'sent' or p.state in ('paid', 'cancelled') and a.hash = p.final_hash)
     order by p.nonce, a.id desc`,
    [desk.account.address, mined],
  )
  return rows.map((row) => ({
    id: row.id,
    attemptId: row.attempt_id,
    nonce: Number(row.nonce),
    withdrawalId: row.withdrawal_id,
    recipient: row.recipient,
    amount: BigInt(row.amount),
    open: row.open,
    signedBytes: row.signed_bytes,
    hash: row.hash,
    kind: row.kind,
    signedAt: new Date(row.signed_at),
    sentAt: row.sent_at === null ? null : new Date(row.sent_at),
    cancelRequested: row.cancel_requested,
    fees: { maxFeePerGas: BigInt(row.max_fee_per_gas), maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas) },
  }))
}

/** Signs another transaction for the same nonce, with higher fees, and writes it down. One of the two will be mined. */
async function replace(desk: PayoutDesk, payouts: readonly WaitingPayout[], asked: Fees) {
  const priced = payouts.map((payout) => ({
    payout,
    fees: {
      maxFeePerGas: larger(raise(payout.fees.maxFeePerGas), asked.maxFeePerGas),
      maxPriorityFeePerGas: larger(raise(payout.fees.maxPriorityFeePerGas), asked.maxPriorityFeePerGas),
    },
  }))
  const tooDear = priced.find(({ fees }) => fees.maxFeePerGas > asked.maxFeePerGas * FEE_LIMIT)
  if (tooDear)
    await desk.alert(
      'fees',
      `Nonce ${tooDear.payout.nonce} of the payout wallet is not mined, though it offers ${FEE_LIMIT} times the usual fee.`,
    )
  else desk.over('fees')
  const limit = desk.services.config.PAYOUT_MAX_GAS_PRICE
  const wanted = priced.filter(({ fees }) => fees.maxFeePerGas <= asked.maxFeePerGas * FEE_LIMIT && fees.maxFeePerGas <= limit)
  if (wanted.length === 0) return []

  return desk.write(async (em) => {
    const withdrawals = wanted.flatMap(({ payout }) => payout.withdrawalId ?? [])
    await sql(em, 'select 1 from withdrawals where id = any($1::uuid[]) order by id for update', [withdrawals])
    const rows = await sql<{ id: string; cancel: boolean }>(
      em,
      `select id, cancel_requested_at is not null as cancel from payouts
       where id = any($1::uuid[]) and state = 'sent' order by id for update`,
      [wanted.map(({ payout }) => payout.id)],
    )
    if ((await lockWallet(em, desk.account.address)).stoppedBecause !== null) return []
    const cancels = new Map(rows.map(({ id, cancel }) => [id, cancel]))
    const attempts: NewAttempt[] = []
    const shown: { withdrawalId: string; hash: Hash }[] = []
    for (const { payout, fees } of wanted) {
      const cancel = cancels.get(payout.id)
      if (cancel === undefined) continue
      const terms = { nonce: payout.nonce, gas: desk.account.gasOf(payout.signedBytes), ...fees }
      const signed = cancel
        ? await desk.account.signNothing(terms)
        : await desk.account.signTransfer({ ...terms, recipient: payout.recipient, amount: payout.amount })
      attempts.push({ ...signed, ...fees, payoutId: payout.id, kind: cancel ? 'cancel' : 'pay' })
      if (!cancel && payout.withdrawalId) shown.push({ withdrawalId: payout.withdrawalId, hash: signed.hash })
    }
    await desk.step('signed')
    await nameTransactions(em, shown)
    return storeAttempts(em, { attempts, now: desk.services.clock.now() })
  })
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
