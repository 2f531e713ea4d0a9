import { formatAmount, ONE_TOKEN } from './amount.ts'

/** The least that can be withdrawn at once. */
export const MINIMUM_WITHDRAWAL = 3000n * ONE_TOKEN

export interface WithdrawalAsked {
  /** Undefined if what was entered is no amount. */
  amount: bigint | undefined
  available: bigint
  fee: bigint
}

/** The smallest part of a token that can be withdrawn: 8 decimals. */
const STEP = ONE_TOKEN / 100_000_000n

/** The most that can be withdrawn of a balance. */
export const withdrawable = (available: bigint): bigint => available - (available % STEP)

export const withdrawalTexts = {
  insufficient: 'Insufficient XCR balance available for withdrawal.',
  walletRequired: 'Please register your wallet address first for withdrawal.',
  otpNotEnabled: 'You must set up Google Authenticator before making withdrawals.',
}

/** The checks of an amount in the order of the validation rules, with their texts; undefined if it can be withdrawn. */
export function findAmountProblem({ amount, available, fee }: WithdrawalAsked): string | undefined {
  if (amount === undefined || amount <= 0n) return 'Please enter the amount of XCR to withdraw.'
  if (amount > available) return withdrawalTexts.insufficient
  if (amount < MINIMUM_WITHDRAWAL) return 'The minimum withdrawal amount is 3000 XCR.'
  if (amount <= fee) return `Withdrawal amount must be greater than fee (${formatAmount(fee)} XCR).`
  if (amount % STEP !== 0n) return 'Please enter at most 8 decimals.'
  return undefined
}
