import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import type { Address, Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import type { Services } from '#api/platform/services.ts'
import { completeWithdrawals } from './completeWithdrawals.ts'
import { openDebt } from './debts.ts'
import { hasNoPayout } from './hasNoPayout.ts'
import { noteOnWithdrawal } from './lockWithdrawal.ts'
import { refundWithdrawal } from './refundWithdrawal.ts'

/** A transfer that has paid an account, and whose withdrawal is lost. */
export interface LostPayment {
  userId: string
  recipient: Address
  /** What was transferred. */
  net: bigint
  /** The one in force when it was paid. */
  fee: bigint
  transactionHash: Hash
  transferOrdinal: number
  blockTime: Date
}

interface Booking {
  open: readonly OpenWithdrawal[]
  /** As it is written in the audit log. */
  actor: string
  /** Why a person says so. */
  reason: string | undefined
}

export interface OpenWithdrawal {
  id: string
  toAddress: Address
  amount: bigint
  fee: bigint
}

/** An account's withdrawals for which nothing was signed, locked, the newest first. */
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

/** SQL that is true of a withdrawal `w` that was booked, as the audit log says, which nobody can change. */
export const IS_BOOKED = `exists (select from audit_entries where action = '${ACTION}' and target = 'withdrawal:' || w.id)`

/** Stands where the message that its owner has signed is lost. The transfer makes it unique, and so the booking. */
export const bookedMessage = ({ transactionHash, transferOrdinal }: Pick<LostPayment, 'transactionHash' | 'transferOrdinal'>) =>
  `Booked from transfer ${transferOrdinal} of transaction ${transactionHash}. The signed message is lost.`

/**
 * Books a payment as a completed withdrawal of its account, though the balance may not suffice: then withdrawals of the account that wait
 * are given back first, the newest first, and what is still missing becomes a debt.
 * The caller has locked those, and knows that none of them was paid.
 *
 * Moves for one account, and so is alone in its transaction (`moveXcr`).
 *
 * @returns the withdrawal's id and what of it is a debt.
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
    await noteOnWithdrawal(em, { id, note: `Given back: ${transactionHash} had paid the account before.` })
    await refundWithdrawal(em, services, { id })
    returned.push(id)
    balance += amount
  }

  const id = newShownId()
  const message = bookedMessage({ transactionHash, transferOrdinal })
  const createdAt = new Date(blockTime.getTime() + clock.productNow().getTime() - clock.now().getTime())
  await query(em)
    .insertInto('withdrawals')
    .values({
      id,
      user: userId,
      amount: gross,
      fee,
      toAddress: recipient,
      status: 'processing',
      messageHash: createHash('sha256').update(message).digest('hex'),
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
