import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import type { MinedTransaction } from '../chain/readTransaction.ts'
import { sql } from '../db/sql.ts'
import { Deposit } from '../entities/Deposit.ts'
import { User } from '../entities/User.ts'
import { mailOwner } from '../mail/mailOwner.ts'
import { say } from '../mail/say.ts'
import type { Services } from '../services.ts'
import { refundNotFound, refundUnsuitable, refundUsed } from './errors.ts'

/**
 * Closes a deposit that was given back: by a final transfer of USDT, from anybody, to its sender, of no more than was sent.
 *
 * @returns what the audit log keeps. @throws 409 with the reason if the transaction is no such thing.
 */
export async function refundDeposit(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { deposit, hash, found }: { deposit: Deposit; hash: Hash; found: MinedTransaction | null },
): Promise<{ refundedAmount: string }> {
  const amount = requireRefund(deposit, found)
  // Of two deposits that are closed with the same transaction at once, the second sees the first.
  await sql(em, 'select pg_advisory_xact_lock(hashtextextended($1, 11))', [hash])
  if (await em.count(Deposit, { refundHash: hash })) throw refundUsed()

  Object.assign(deposit, {
    state: 'refunded',
    reviewReason: null,
    refundHash: hash,
    refundedAmount: amount,
    closedAt: services.clock.now(),
  })
  const user = deposit.user && (await em.findOne(User, deposit.user.id))
  if (user)
    await mailOwner(em, services, {
      to: user,
      subject: say('{amount} USDT were sent back to you', { amount: formatAmount(amount) }),
      paragraphs: [
        say(
          'Your payment of {paid} USDT could not be used for a purchase. {amount} USDT were sent back to the wallet it came from.',
          { paid: formatAmount(deposit.amount), amount: formatAmount(amount) },
        ),
      ],
      facts: [
        ['Wallet', deposit.sender],
        ['Refund', hash],
        ['Payment', deposit.transactionHash],
      ],
    })
  return { refundedAmount: formatAmount(amount) }
}

/** What the transaction gives back. */
function requireRefund(deposit: Deposit, found: MinedTransaction | null): bigint {
  if (!found) throw refundNotFound()
  if (!found.succeeded) throw refundUnsuitable('This transaction failed.')
  if (!found.isFinal) throw refundUnsuitable('This transaction is not final yet. Please try again in a moment.')
  if (deposit.blockNumber !== null && deposit.blockNumber !== undefined && found.blockNumber < deposit.blockNumber)
    throw refundUnsuitable('This transaction is older than the deposit.')
  const toSender = found.transfers.filter(({ recipient, amount }) => recipient === deposit.sender && amount > 0n)
  if (toSender.length === 0)
    throw refundUnsuitable(`This transaction transfers no USDT to ${deposit.sender}, from where the deposit came.`)
  const refund = toSender.find(({ amount }) => amount <= deposit.amount)
  if (!refund)
    throw refundUnsuitable(`This transaction transfers more than the ${formatAmount(deposit.amount)} USDT of the deposit.`)
  return refund.amount
}
