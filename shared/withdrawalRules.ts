import { formatAmount, ONE_TOKEN } from './amount.ts'

/** The minimum amount of a withdrawal. */
export const MINIMUM_WITHDRAWAL = 3000n * ONE_TOKEN

export interface WithdrawalAsked {
  /** Undefined if the input is not an amount. */
  amount: bigint | undefined
  available: bigint
  fee: bigint
}

/** The smallest unit of a withdrawal: 8 decimals. */
const WITHDRAWAL_STEP = ONE_TOKEN / 100_000_000n

/** The maximum that can be withdrawn from a balance. */
export const withdrawable = (available: bigint): bigint => available - (available % WITHDRAWAL_STEP)

/** Upper bound of a daily limit: more than there will ever be. */
const MAX_DAILY_LIMIT = 1_000_000_000n * ONE_TOKEN

/** Whether an account may have this daily limit. Zero allows no withdrawal. */
export const isDailyLimit = (limit: bigint): boolean => limit <= MAX_DAILY_LIMIT && limit % WITHDRAWAL_STEP === 0n

const grouped = (amount: bigint): string => formatAmount(amount, { grouped: true })

/** What a request above the daily limit is answered with. */
export const describeLimit = (limit: bigint, left: bigint): string =>
  `Your daily limit is ${grouped(limit)} XCR, and ${grouped(left)} XCR of it is left right now.`

export const withdrawalTexts = {
  insufficient: 'Insufficient XCR balance available for withdrawal.',
  amountInvalid: 'Please enter an amount such as 3500.25.',
  limitInvalid: 'Please enter an amount of XCR with at most 8 decimals.',
  walletRequired: 'Please register your wallet address first for withdrawal.',
  otpNotEnabled: 'You must set up Google Authenticator before making withdrawals.',
}

/** Checks an amount in the order of the validation rules and returns the message; undefined if it is valid. */
export function findAmountProblem({ amount, available, fee }: WithdrawalAsked): string | undefined {
  if (amount === undefined || amount <= 0n) return 'Please enter the amount of XCR to withdraw.'
  if (amount > available) return withdrawalTexts.insufficient
  if (amount < MINIMUM_WITHDRAWAL) return 'The minimum withdrawal amount is 3000 XCR.'
  if (amount <= fee) return `Withdrawal amount must be greater than fee (${formatAmount(fee)} XCR).`
  if (amount % WITHDRAWAL_STEP !== 0n) return 'Please enter at most 8 decimals.'
  return undefined
}
