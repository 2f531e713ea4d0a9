import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { hasNoPayout } from '../requests/hasNoPayout.ts'
import { recordWithdrawalChanges } from '../requests/recordWithdrawalChanges.ts'
import { arePayoutsStopped } from '../payoutWallets/arePayoutsStopped.ts'
import type { SignedAttempt } from './broadcast.ts'
import type { PayoutDesk } from './PayoutDesk.ts'
import type { ChainView } from './readChain.ts'
import type { Float } from './readFloat.ts'
import { lockWallet } from '../payoutWallets/stopWallet.ts'
import { nameTransactions, type NewPayout, storeAttempts, storePayouts } from './storePayouts.ts'
import { debitSweep, type DueSweep, findDueSweep } from './sweepFees.ts'

/** Signed in one transaction: enough to make the commit cheap, few enough to be sent soon. */
const AT_ONCE = 200

export interface Signed {
  attempts: SignedAttempt[]
  /** Whether there may be more to sign now. */
  more: boolean
}

/** One that was ever signed keeps its nonce, whatever its row says (money.md 24). An account that owes something is paid nothing. */
const selectDue = (db: PayoutDesk['read']) =>
  db
    .selectFrom('withdrawals as w')
    .where('w.status', '=', 'pending')
    .where(hasNoPayout)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('debts as d').select('d.id').whereRef('d.user', '=', 'w.user').where('d.closedAt', 'is', null))),
    )

const nothing: Signed = { attempts: [], more: false }

/** Whether anything waits to be signed: without it the chain need not be asked for balances. */
export async function hasDuePayouts(desk: PayoutDesk): Promise<boolean> {
  const due = await selectDue(desk.read).select('w.id').limit(1).executeTakeFirst()
  return due !== undefined || (await findDueSweep(desk)) !== undefined
}

/**
 * Takes what waits, in its order, as far as the float and the chain's pool allow: gives each a nonce, signs it and writes it down, in one
 * transaction. Nothing is sent here.
 */
export async function signPayouts(
  desk: PayoutDesk,
  { view, float, gas }: { view: ChainView; float: Float; gas: bigint },
): Promise<Signed> {
  const { account, services } = desk
  const sweep = await findDueSweep(desk)
  let shortage: Shortage | undefined
  const signed = await desk.write(async (em): Promise<Signed> => {
    const withdrawals = await lockDue(em)
    if (withdrawals.length === 0 && !sweep) return nothing
    const wallet = await lockWallet(em, account.address)
    // A nonce that anybody has seen used and that we never took: the next look stops the wallet.
    // And what another wallet may have paid unknown to us, this one must not pay again.
    if (view.seen > wallet.nextNonce || (await arePayoutsStopped(em))) return nothing
    const room = services.config.PAYOUTS_IN_FLIGHT - (wallet.nextNonce - view.mined)
    if (room <= 0) return nothing

    const budget = await readBudget(em, { address: account.address, float, unmined: wallet.nextNonce - view.mined, gas })
    const due = [...withdrawals.map(toPayout), ...(sweep ? [sweepToPayout(sweep)] : [])]
    const affordable = takeAffordable(due, budget)
    shortage = affordable.shortage
    const payouts = affordable.taken
      .slice(0, room)
      .map((payout, index) => ({ ...payout, id: newId(), nonce: wallet.nextNonce + index }))
    if (payouts.length === 0) return nothing
    await desk.step('nonceTaken')
    const attempts = await signEach(desk, payouts, { gas, float })
    await desk.step('signed')

    const now = services.clock.now()
    await storePayouts(em, { wallet: account.address, payouts, now })
    const stored = await storeAttempts(em, { attempts, now })
    await query(em)
      .updateTable('payout_wallets')
      .set((eb) => ({ nextNonce: eb('nextNonce', '+', payouts.length) }))
      .where('address', '=', account.address)
      .execute()
    await markProcessing(em, payouts, stored)
    if (sweep && payouts.some(({ cause }) => cause === sweep.cause)) await debitSweep(em, sweep)
    const taken = new Set(payouts.map(({ withdrawalId }) => withdrawalId))
    await recordWithdrawalChanges(
      em,
      withdrawals.filter(({ id }) => taken.has(id)).map(({ user }) => user),
    )
    return { attempts: stored, more: payouts.length >= AT_ONCE }
  })
  if (shortage) await desk.alert(shortage.situation, shortage.message)
  else if (signed.attempts.length > 0) for (const situation of ['tokens', 'coins']) desk.over(situation)
  if (signed.attempts.length > 0) await desk.step('stored')
  return signed
}

/** The rows that wait longest. One that a person is deciding on at this moment is passed over. */
const lockDue = (em: EntityManager) =>
  selectDue(query(em))
    .select((eb) => ['w.id', 'w.user', 'w.toAddress', eb('w.amount', '-', eb.ref('w.fee')).as('net')])
    .orderBy('w.requestedAt')
    .orderBy('w.id')
    .limit(AT_ONCE)
    .forUpdate()
    .skipLocked()
    .execute()

type DuePayout = Omit<NewPayout, 'id' | 'nonce'>

const toPayout = ({ id, toAddress, net }: Awaited<ReturnType<typeof lockDue>>[number]): DuePayout => ({
  cause: `withdrawal:${id}`,
  withdrawalId: id,
  recipient: toAddress,
  amount: net,
})

const sweepToPayout = ({ cause, recipient, amount }: DueSweep): DuePayout => ({ cause, withdrawalId: null, recipient, amount })

interface Budget {
  /** What may be signed away; the newest block's and, where known, the newest final one's. */
  tokens: bigint[]
  /** How many transactions there are fees for. */
  transactions: number
}

interface Shortage {
  situation: 'tokens' | 'coins'
  message: string
}

/** What is left when all that is signed and not final has left the wallet (money.md 27). */
async function readBudget(
  em: EntityManager,
  { address, float, unmined, gas }: { address: Address; float: Float; unmined: number; gas: bigint },
): Promise<Budget> {
  const tokens: bigint[] = []
  for (const { balance, nonces } of float.tokens) {
    const { signed } = await query(em)
      .selectFrom('payouts')
      .select((eb) => eb.fn.sum<bigint | null>('amount').as('signed'))
      .where('wallet', '=', address)
      .where('nonce', '>=', nonces)
      .where('state', 'in', ['sent', 'paid'])
      .executeTakeFirstOrThrow()
    tokens.push(balance - (signed ?? 0n))
  }
  return { tokens, transactions: Number(float.coins / (gas * float.fees.maxFeePerGas)) - unmined }
}

/** In their order: a large one at the front is not passed by small ones, or it would wait for ever. */
function takeAffordable(due: readonly DuePayout[], budget: Budget): { taken: DuePayout[]; shortage?: Shortage } {
  const [newest = 0n] = budget.tokens
  const tokens = budget.tokens.reduce((least, one) => (one < least ? one : least))
  const taken: DuePayout[] = []
  let sum = 0n
  for (const payout of due) {
    sum += payout.amount
    if (sum > tokens) {
      // What has arrived and is not final yet is worth waiting for, not an alarm.
      if (sum <= newest) return { taken }
      return { taken, shortage: { situation: 'tokens', message: describeTokenShortage(payout, newest - sum + payout.amount) } }
    }
    if (taken.length >= budget.transactions) {
      const message =
        "The payout wallet has too little of the reward chain's coin for fees. Withdrawals wait until it is filled up."
      return { taken, shortage: { situation: 'coins', message } }
    }
    taken.push(payout)
  }
  return { taken }
}

const describeTokenShortage = ({ cause, amount }: DuePayout, left: bigint): string =>
  `The payout wallet has ${formatAmount(left < 0n ? 0n : left)} XCR left and ${cause} needs ${formatAmount(amount)} XCR. ` +
  'Withdrawals wait until it is filled up.'

function signEach(desk: PayoutDesk, payouts: readonly NewPayout[], { gas, float }: { gas: bigint; float: Float }) {
  return Promise.all(
    payouts.map(async ({ id, nonce, recipient, amount }) => ({
      ...(await desk.account.signTransfer({ nonce, gas, recipient, amount, ...float.fees })),
      ...float.fees,
      payoutId: id,
      kind: 'pay' as const,
    })),
  )
}

async function markProcessing(
  em: EntityManager,
  payouts: readonly NewPayout[],
  stored: Awaited<ReturnType<typeof storeAttempts>>,
): Promise<void> {
  const hashes = new Map(stored.map(({ payoutId, hash }) => [payoutId, hash]))
  const transactions = payouts.flatMap(({ id, withdrawalId }) => (withdrawalId ? [{ withdrawalId, hash: hashes.get(id)! }] : []))
  const ids = transactions.map(({ withdrawalId }) => withdrawalId)
  await query(em)
    .updateTable('withdrawals')
    .set({ status: 'processing', reviewReason: null })
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  await nameTransactions(em, transactions)
}
