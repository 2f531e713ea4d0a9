import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { findAmountProblem } from '#shared/withdrawalRules.ts'
import { sql } from '#api/platform/db/sql.ts'
import { readSettings, withdrawalFeeOf } from '#api/sale/settings/readSettings.ts'
import { readOwed } from './debts.ts'
import * as refuse from './errors.ts'

export interface WithdrawableQuestion {
  userId: string
  amount: bigint
  /** Real time. */
  now: Date
  /** Holds wallet and authenticator as they are until the transaction ends. */
  lock?: true
}

/** What holds for a withdrawal at this moment. */
export interface WithdrawalTermsInForce {
  wallet: Address
  fee: bigint
  /** The account's withdrawals wait for a person until then. */
  reviewedUntil: Date | null
}

interface AccountRow {
  wallet_address: Address | null
  otp_enabled: boolean
  reviewed_until: string | null
  balance: string | null
}

/**
 * Whether the account may withdraw this much now: not while it owes something, and then by the validation rules of the specification in their order.
 *
 * @throws 400, 403 or 409, each with the printed text.
 */
export async function requireWithdrawable(
  em: EntityManager,
  { userId, amount, now, lock }: WithdrawableQuestion,
): Promise<WithdrawalTermsInForce> {
  const [account] = await sql<AccountRow>(
    em,
    `select wallet_address, otp_enabled_at is not null as otp_enabled, withdrawals_reviewed_until as reviewed_until, balance
     from users left join accounts on accounts.id = users.id where users.id = $1 ${lock ? 'for share of users' : ''}`,
    [userId],
  )
  if (!account) throw new Error(`There is no user ${userId}.`)
  const owed = await readOwed(em, userId)
  if (owed > 0n) throw refuse.debtOpen(owed)
  const available = BigInt(account.balance ?? 0)
  const fee = withdrawalFeeOf(await readSettings(em, now))
  const problem = findAmountProblem({ amount, available, fee })
  if (problem) throw amount > available ? refuse.insufficientXcr(available) : refuse.amountInvalid(problem)
  if (!account.wallet_address) throw refuse.walletRequired()
  if (!account.otp_enabled) throw refuse.otpNotEnabled()
  return {
    wallet: account.wallet_address,
    fee,
    reviewedUntil: account.reviewed_until ? new Date(account.reviewed_until) : null,
  }
}
