import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { DAY } from '#shared/dates.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { sayNodes, sentence } from '#api/platform/mail/sentence.ts'
import { partAccepted } from '../purchases/confirmPurchase.ts'
import { fitOf } from '../purchases/fitOf.ts'
import { markMatched } from '../purchases/markMatched.ts'
import { tellReassigned } from '../purchases/tellReassigned.ts'
import { mayPay, type MinedDeposit } from './matchDeposit.ts'
import { isBeforeRestore, restUnlessArriving, reviewWith } from './reviewDeposit.ts'
import type { Settled, Settlement } from './Settlement.ts'
import type { WaitingPayment } from './tellWaiting.ts'

/** Later payments are not taken for an owed one (money.md 9). */
const OWED_WINDOW = 30 * DAY

/** A transaction that an administrator confirmed a purchase with (money.md 9) pays for nothing else, even if it fits. */
export async function payByTransaction(settlement: Settlement, deposit: MinedDeposit): Promise<Settled> {
  const { em, records } = settlement
  const { transactionHash } = deposit
  const purchase = await lockOwed(
    em,
    records.owed.find((owed) => owed.owedDeposit && owed.transactionHash === transactionHash),
  )
  if (!purchase) return undefined
  const seen = await em.find(Deposit, { transactionHash, state: 'seen', blockNumber: { $ne: null }, keptFor: null })
  if (seen.some((other) => fitOf(purchase, other) > fitOf(purchase, deposit))) return undefined
  return settleOwed(settlement, deposit, purchase)
}

/** A purchase that an administrator confirmed without a transfer (money.md 9). */
export async function payOwed(settlement: Settlement, deposit: MinedDeposit): Promise<Settled> {
  const oldest = findOwed(settlement, deposit).find(({ amount }) => amount === deposit.amount)
  const purchase = await lockOwed(settlement.em, oldest)
  return purchase ? settleOwed(settlement, deposit, purchase) : undefined
}

/**
 * A part of such a payment buys nothing else. It waits for review until the parts are the whole amount (money.md 9). Only of a wallet that
 * the account has proven: transfers of any other, which may be an exchange's, buy nothing by themselves.
 */
export async function payOwedInParts(settlement: Settlement, deposit: MinedDeposit): Promise<Settled> {
  const { em, services } = settlement
  const purchase = await lockOwed(em, findOwedInParts(settlement, deposit, deposit.amount))
  if (!purchase) return undefined
  const inReview = await em.find(Deposit, { purchase, sender: deposit.sender, state: 'review' })
  const parts = inReview.filter((part) => !isBeforeRestore(settlement, part))
  const sum = parts.reduce((total, { amount }) => total + amount, deposit.amount)
  if (sum !== purchase.amount) {
    const rest = await findOwedRest(settlement, deposit, { purchase, missing: purchase.amount - sum })
    reviewWith(settlement, deposit, { reason: sum < purchase.amount ? 'underpaid' : 'overpaid', purchase, rest })
    return true
  }
  for (const part of parts) markMatched(part, purchase, services.clock.now())
  return settleOwed(settlement, deposit, purchase, sum)
}

/** The oldest purchase of which a payment of this amount would be a part. */
const findOwedInParts = (settlement: Settlement, deposit: MinedDeposit, part: bigint): Purchase | undefined =>
  findOwed(settlement, deposit).find(({ amount, user }) => amount > part && settlement.records.provers.includes(user.id))

/** What completes the parts of a purchase, and until when. Undefined if that would pay for another one, or may be on its way. */
async function findOwedRest(
  settlement: Settlement,
  deposit: MinedDeposit,
  { purchase, missing }: { purchase: Purchase; missing: bigint },
): Promise<WaitingPayment['rest']> {
  const until = new Date(purchase.openedAt.getTime() + OWED_WINDOW)
  const isOfAnother = [...settlement.records.owed, ...settlement.records.closed].some(({ amount }) => amount === missing)
  if (missing <= 0n || isOfAnother || settlement.services.clock.now() >= until) return undefined
  if (findOwedInParts(settlement, deposit, missing)?.id !== purchase.id) return undefined
  if ((await settlement.em.count(Deposit, { sender: deposit.sender, amount: missing, keptFor: { $ne: null } })) > 0)
    return undefined
  return restUnlessArriving(settlement, deposit, { amount: missing, until, isOwed: true })
}

/** The purchases that are owed a payment and that this one may pay, oldest first. */
function findOwed({ records }: Settlement, deposit: MinedDeposit): Purchase[] {
  const since = deposit.blockTime.getTime() - OWED_WINDOW
  return records.owed
    .filter((owed) => owed.owedDeposit && owed.openedAt.getTime() > since && mayPay(records, deposit, owed))
    .toSorted((a, b) => a.openedAt.getTime() - b.openedAt.getTime())
}

async function lockOwed(em: EntityManager, known: Purchase | undefined): Promise<Purchase | null> {
  if (!known) return null
  await em.flush()
  return em.findOne(
    Purchase,
    { id: known.id, status: 'confirmed', owedDeposit: true },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
}

/** A payment that vanished, and whose nodes an administrator has kept, is mined again (money.md 10). */
export const payKept = async (settlement: Settlement, deposit: MinedDeposit): Promise<Settled> =>
  deposit.keptFor ? settleKept(settlement, deposit, deposit) : undefined

/**
 * Another transfer of that wallet and amount takes its place, as long as a purchase is owed one (money.md 9). Not if only another account has
 * proven the wallet: then it is a payment of that one (money.md 16).
 */
export async function replaceKept(settlement: Settlement, deposit: MinedDeposit): Promise<Settled> {
  const { sender, amount } = deposit
  const { provers } = settlement.records
  await settlement.em.flush()
  const vanished = await settlement.em.find(
    Deposit,
    { sender, amount, keptFor: { $ne: null }, state: 'seen', blockNumber: null },
    { orderBy: { id: 'asc' } },
  )
  const since = new Date(deposit.blockTime.getTime() - OWED_WINDOW)
  const owed = await settlement.em.find(Purchase, {
    id: { $in: vanished.map(({ keptFor }) => keptFor!) },
    openedAt: { $gt: since },
    ...(provers.length > 0 && { user: { $in: provers } }),
  })
  const kept = vanished.find(({ keptFor }) => owed.some(({ id }) => id === keptFor))
  return kept && settleKept(settlement, deposit, kept)
}

async function settleKept(settlement: Settlement, deposit: MinedDeposit, kept: Deposit): Promise<Settled> {
  const purchase = await settlement.em.findOneOrFail(
    Purchase,
    { id: kept.keptFor!, status: 'confirmed' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  kept.keptFor = null
  return settleFor(settlement, deposit, purchase)
}

async function settleOwed(
  settlement: Settlement,
  deposit: MinedDeposit,
  purchase: Purchase,
  sum = deposit.amount,
): Promise<Settled> {
  // It is paid as a whole.
  for (const kept of await settlement.em.find(Deposit, { keptFor: purchase.id })) kept.keptFor = null
  return settleFor(settlement, deposit, purchase, sum)
}

async function settleFor(
  { em, services, changedUsers }: Settlement,
  deposit: MinedDeposit,
  purchase: Purchase,
  /** The sum of its payments, if it is owed no other. */
  whole?: bigint,
): Promise<Settled> {
  purchase.owedDeposit = false
  await tellReassigned(em, services, { deposits: [deposit], purchase })
  markMatched(deposit, purchase, services.clock.now())
  await em.flush()
  // The one that an administrator named, or that has vanished, may not be among its payments.
  const hash = purchase.transactionHash
  const isNamed =
    hash && (await em.count(Deposit, { purchase, transactionHash: hash, state: ['matched', 'assigned', 'orphaned'] })) > 0
  if (!isNamed) purchase.transactionHash = deposit.transactionHash
  changedUsers.add(purchase.user.id)
  await notifyOwner(em, services, {
    to: await em.findOneOrFail(User, purchase.user.id),
    topic: 'payments',
    cause: `payment_settled:${deposit.id}`,
    link: '/history',
    subject: sentence(
      deposit.sender === purchase.wallet
        ? 'Your payment of {amount} USDT is confirmed'
        : 'A payment of {amount} USDT for your purchase is confirmed',
      { amount: formatAmount(whole ?? deposit.amount, { grouped: true }) },
    ),
    paragraphs: [
      sentence('It pays for your purchase of {nodes}, which was confirmed before.', {
        nodes: sayNodes(purchase.requestedQuantity),
      }),
      ...(whole !== undefined && whole < purchase.amount ? [partAccepted(whole, purchase.amount)] : []),
    ],
    facts: [
      ['Transaction', deposit.transactionHash],
      ['Purchase', purchase.id],
    ],
  })
  return true
}
