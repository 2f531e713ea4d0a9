import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { MINIMUM_WITHDRAWAL } from '#shared/withdrawalRules.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import type { Services } from '#api/platform/services.ts'
import { readSettings, withdrawalFeeOf } from '#api/sale/settings/readSettings.ts'
import { bookWithdrawal, lockOpenWithdrawals } from '../requests/bookWithdrawal.ts'
import { completeWithdrawals } from '../requests/completeWithdrawals.ts'
import { readExplained } from '../payoutWallets/explainedTransfers.ts'
import { collectsFees, findRecipients, type Recipient } from './findRecipient.ts'
import type { OwnTransfer } from './readOwnTransfers.ts'
import { lockWallet } from '../payoutWallets/stopWallet.ts'
import { debitSweep } from './sweepFees.ts'

type Needed = Pick<Services, 'config' | 'clock' | 'jobs'>

interface Attribution {
  wallet: Address
  transfer: OwnTransfer
  /** As it is written in the audit log. */
  actor: string
}

/**
 * Finds by itself what a transfer was for that pays nothing we know of, and books it: a withdrawal of the account whose wallet alone is
 * its recipient, or a sweep of fees. Alone in its transaction (`moveXcr`).
 *
 * Only what we could have signed counts: our own transaction, of at least the smallest withdrawal, to a wallet that was registered then
 * and was never another account's.
 *
 * @returns what was booked, in words; undefined if a person must decide.
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
 * Books a transfer as what its account has withdrawn: by an open withdrawal of the same amount, or else by one of its own.
 *
 * @param reason why a person says so; without one, nothing smaller than the smallest withdrawal is booked.
 * @returns what was booked, in words; undefined if it is explained by now, or too small.
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

/** A sweep that is lost, if there are fees of that much and its day has no other one. */
async function bookSweep(
  em: EntityManager,
  { clock }: Pick<Needed, 'clock'>,
  { wallet, transfer, nonce }: { wallet: Address; transfer: OwnTransfer; nonce: number },
): Promise<string | undefined> {
  if (await isExplained(em, wallet, transfer)) return undefined
  const { recipient, amount, transactionHash, blockTime } = transfer
  const date = utcDay(new Date(blockTime.getTime() + clock.productNow().getTime() - clock.now().getTime()))
  const cause = `sweep:${date}`
  const fees = await query(em)
    .selectFrom('accounts as a')
    .select('a.id')
    .where('a.id', '=', houseAccounts.fees)
    .where('a.balance', '>=', amount)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('payouts as p').select('p.id').where('p.cause', '=', cause))))
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

/** With the wallet locked, so that of two who explain one transfer the second sees it. */
async function isExplained(em: EntityManager, wallet: Address, transfer: OwnTransfer): Promise<boolean> {
  await lockWallet(em, wallet)
  return (await readExplained(em, [transfer.transactionHash])).has(transfer)
}
