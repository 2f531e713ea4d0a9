import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { dayAfter } from '#shared/rewardTime.ts'
import { MINIMUM_WITHDRAWAL } from '#shared/withdrawalRules.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { findOpenTime } from '#api/rewards/ledger/findOpenTime.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import type { Services } from '#api/platform/services.ts'
import { readSettings, withdrawalFeeOf } from '#api/sale/settings/readSettings.ts'
import { bookWithdrawal, lockOpenWithdrawals } from '../requests/bookWithdrawal.ts'
import { completeWithdrawals } from '../requests/completeWithdrawals.ts'
import { readExplained } from '../payoutWallets/explainedTransfers.ts'
import { collectsFees, findRecipients, type Recipient } from './findRecipient.ts'
import type { OwnTransfer } from './readOwnTransfers.ts'
import { lockWallet } from '../payoutWallets/lockWallet.ts'
import { debitSweep } from './sweepFees.ts'

type Needed = Pick<Services, 'config' | 'clock' | 'jobs'>

interface Attribution {
  wallet: Address
  transfer: OwnTransfer
  /** The actor in the audit log. */
  actor: string
}

/**
 * Attributes an unexplained transfer without an operator and books it: as a withdrawal of the only account with that wallet, or as a
 * sweep of fees. Must be the only movement in its transaction (`moveXcr`).
 *
 * Only transfers that we could have signed qualify: transactions from our wallet, of at least the smallest withdrawal, to a wallet that
 * was registered at that time and never belonged to another account.
 *
 * @returns a description of the booking; undefined if an operator must decide.
 */
export async function attributeTransfer(
  em: EntityManager,
  services: Needed,
  { wallet, transfer, actor }: Attribution,
): Promise<string | undefined> {
  if (transfer.nonce === undefined) return undefined
  const recipients = await findRecipients(em, transfer)
  if (await collectsFees(em, transfer))
    return recipients.length === 0 ? bookSweep(em, services, { wallet, transfer, nonce: transfer.nonce }) : undefined
  const [recipient, ...others] = recipients
  if (!recipient?.isRegistered || others.length > 0) return undefined
  return attributeToAccount(em, services, { wallet, transfer, actor, recipient })
}

/**
 * Books a transfer as a withdrawal of the account: completes an open withdrawal of the same amount, otherwise creates one.
 *
 * @param reason the operator's reason; without one, amounts below the smallest withdrawal are not booked.
 * @returns a description of the booking; undefined if the transfer has been explained meanwhile or is too small.
 */
export async function attributeToAccount(
  em: EntityManager,
  services: Needed,
  {
    wallet,
    transfer,
    actor,
    recipient,
    reason,
  }: Attribution & { recipient: Pick<Recipient, 'userId' | 'email'>; reason?: string | undefined },
): Promise<string | undefined> {
  const { transactionHash, ordinal: transferOrdinal, amount: net, blockTime } = transfer
  const open = await lockOpenWithdrawals(em, recipient.userId)
  if (await isExplained(em, wallet, transfer)) return undefined
  const same = open.findLast((one) => one.toAddress === transfer.recipient && one.amount - one.fee === net)
  if (same) {
    await completeWithdrawals(em, services, [{ id: same.id, transactionHash, transferOrdinal }])
    return `has paid withdrawal ${same.id}.`
  }
  const fee = withdrawalFeeOf(await readSettings(em, blockTime))
  if (reason === undefined && net + fee < MINIMUM_WITHDRAWAL) return undefined
  const payment = {
    userId: recipient.userId,
    recipient: transfer.recipient,
    net,
    fee,
    transactionHash,
    transferOrdinal,
    blockTime,
  }
  const { id, debt } = await bookWithdrawal(em, services, payment, { open, actor, reason })
  const owed = debt > 0n ? ` Its balance did not suffice: it owes ${formatAmount(debt)} XCR.` : ''
  return `is booked as withdrawal ${id} of ${recipient.email}.${owed}`
}

/**
 * Books a lost sweep if the fees cover it, for the first day from its block on that has no other sweep and is not archived: a sweep that was
 * stuck is mined on the day of the next one.
 */
async function bookSweep(
  em: EntityManager,
  { clock }: Pick<Needed, 'clock'>,
  { wallet, transfer, nonce }: { wallet: Address; transfer: OwnTransfer; nonce: number },
): Promise<string | undefined> {
  if ((await isExplained(em, wallet, transfer)) || (await isSigned(em, { wallet, nonce }))) return undefined
  const { recipient, amount, transactionHash, blockTime } = transfer
  const mined = new Date(blockTime.getTime() + clock.productNow().getTime() - clock.now().getTime())
  const date = await findFreeDay(em, utcDay(await findOpenTime(em, mined)))
  const cause = `sweep:${date}`
  const fees = await query(em)
    .selectFrom('accounts as a')
    .select('a.id')
    .where('a.id', '=', houseAccounts.fees)
    .where('a.balance', '>=', amount)
    .executeTakeFirst()
  if (!fees) return undefined
  await query(em)
    .insertInto('payouts')
    .values({
      id: newId(),
      wallet,
      nonce,
      cause,
      recipient,
      amount,
      state: 'paid',
      finalHash: transactionHash,
      signedAt: blockTime,
      settledAt: clock.now(),
    })
    .execute()
  await debitSweep(em, { cause, date, recipient, amount })
  return `is booked as the ${cause.replace(':', ' of ')}.`
}

/** Whether we have signed something else with this nonce, which a transaction by hand has used instead. */
async function isSigned(em: EntityManager, { wallet, nonce }: { wallet: Address; nonce: number }): Promise<boolean> {
  const payout = await query(em)
    .selectFrom('payouts')
    .select('id')
    .where('wallet', '=', wallet)
    .where('nonce', '=', nonce)
    .executeTakeFirst()
  return payout !== undefined
}

/** The first day from one on that has no sweep. */
async function findFreeDay(em: EntityManager, from: string): Promise<string> {
  const rows = await query(em)
    .selectFrom('payouts')
    .select('cause')
    .where('withdrawal', 'is', null)
    .where('cause', '>=', `sweep:${from}`)
    .execute()
  const swept = new Set(rows.map(({ cause }) => cause))
  let day = from
  while (swept.has(`sweep:${day}`)) day = dayAfter(day)
  return day
}

/** Locks the wallet, so that concurrent explanations of one transfer see each other. */
async function isExplained(em: EntityManager, wallet: Address, transfer: OwnTransfer): Promise<boolean> {
  await lockWallet(em, wallet)
  return (await readExplained(em, [transfer.transactionHash])).has(transfer)
}
