import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { findOpenTime } from '#api/rewards/ledger/findOpenTime.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import type { Services } from '#api/platform/services.ts'
import { completeWithdrawals } from './completeWithdrawals.ts'
import { openDebt } from './debts.ts'
import { hasNoPayout } from '#api/accounts/users/hasNoPayout.ts'
import { addWithdrawalNote } from './lockWithdrawal.ts'
import { hashMessage } from './openWithdrawal.ts'
import { refundWithdrawal } from './refundWithdrawal.ts'

/** A transfer to an account whose withdrawal row was lost. */
export interface LostPayment {
  userId: string
  recipient: Address
  /** The amount transferred. */
  net: bigint
  /** The withdrawal fee in force at the transfer's time. */
  fee: bigint
  transactionHash: Hash
  transferOrdinal: number
  blockTime: Date
}

interface Booking {
  open: readonly OpenWithdrawal[]
  /** The actor in the audit log. */
  actor: string
  /** The reason an operator gave. */
  reason: string | undefined
}

export interface OpenWithdrawal {
  id: string
  toAddress: Address
  amount: bigint
  fee: bigint
}

/** Locks an account's open withdrawals without a payout, newest first. */
export async function lockOpenWithdrawals(em: EntityManager, userId: string): Promise<OpenWithdrawal[]> {
  return query(em)
    .selectFrom('withdrawals as w')
    .select(['w.id', 'w.toAddress', 'w.amount', 'w.fee'])
    .where('w.user', '=', userId)
    .where('w.status', 'in', ['pending', 'manual_review'])
    .where(hasNoPayout)
    .orderBy('w.requestedAt', 'desc')
    .orderBy('w.id', 'desc')
    .forUpdate()
    .execute()
}

const ACTION = 'withdrawal.book'

/** SQL condition: withdrawal `w` was booked. It reads the audit log, which is append-only. */
export const IS_BOOKED = `exists (select from audit_entries where action = '${ACTION}' and target = 'withdrawal:' || w.id)`

/** Placeholder for the lost signed message. It is unique per transfer, so a transfer cannot be booked twice. */
export const bookedMessage = ({ transactionHash, transferOrdinal }: Pick<LostPayment, 'transactionHash' | 'transferOrdinal'>) =>
  `Booked from transfer ${transferOrdinal} of transaction ${transactionHash}. The signed message is lost.`

/**
 * Books a transfer as a completed withdrawal of its account. If the balance is too low, the account's open withdrawals are refunded
 * first, newest first, and the remainder becomes a debt. The caller has locked those withdrawals and verified that none was paid.
 *
 * Moves XCR of one account, so it must be the only such call in its transaction (`moveXcr`).
 *
 * @returns the withdrawal's id and the part of it that is a debt.
 */
export async function bookWithdrawal(
  em: EntityManager,
  services: Pick<Services, 'config' | 'clock' | 'jobs'>,
  payment: LostPayment,
  { open, actor, reason }: Booking,
): Promise<{ id: string; debt: bigint }> {
  const { userId, recipient, net, fee, transactionHash, transferOrdinal, blockTime } = payment
  const { clock } = services
  const gross = net + fee
  const account = await query(em).selectFrom('accounts').select('balance').where('id', '=', userId).forUpdate().executeTakeFirst()
  let balance = account?.balance ?? 0n
  const returned: string[] = []
  for (const { id, amount } of open) {
    if (balance >= gross) break
    await addWithdrawalNote(em, { id, note: `Given back: ${transactionHash} had paid the account before.` })
    await refundWithdrawal(em, services, { id })
    returned.push(id)
    balance += amount
  }

  const id = newShownId()
  const message = bookedMessage({ transactionHash, transferOrdinal })
  const createdAt = await findOpenTime(em, new Date(blockTime.getTime() + clock.productNow().getTime() - clock.now().getTime()))
  await query(em)
    .insertInto('withdrawals')
    .values({
      id,
      user: userId,
      amount: gross,
      fee,
      toAddress: recipient,
      status: 'processing',
      messageHash: hashMessage(message),
      signedMessage: message,
      signature: '0x',
      createdAt,
      requestedAt: blockTime,
    })
    .execute()
  const date = utcDay(createdAt)
  const debt = gross > balance ? gross - balance : 0n
  if (debt > 0n) await openDebt(em, services, { withdrawalId: id, userId, amount: debt, date })
  await moveXcr(em, [{ from: userId, to: houseAccounts.payouts, amount: gross, cause: `withdrawal:${id}`, date }])
  await completeWithdrawals(em, services, [{ id, transactionHash, transferOrdinal }])
  recordAudit(em, {
    actor,
    action: ACTION,
    target: `withdrawal:${id}`,
    after: {
      transactionHash,
      transferOrdinal,
      amount: formatAmount(gross),
      fee: formatAmount(fee),
      debt: formatAmount(debt),
      returned,
      ...(reason !== undefined && { reason }),
    },
  })
  return { id, debt }
}
