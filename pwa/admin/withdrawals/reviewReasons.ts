import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'

/** Why a withdrawal waits for a person: in a table, and for whoever decides on it. */
export const reviewReasons: Record<NonNullable<AdminWithdrawal['reviewReason']>, { short: string; long: string }> = {
  above_limit: { short: 'above the limit', long: 'It is above the limit of what is paid without a person.' },
  recent_change: {
    short: 'account changed',
    long: 'The wallet, the password or the authenticator of the account was changed in the 24 hours before it.',
  },
  foreign_contract: {
    short: 'contract wallet',
    long: 'The wallet is a contract on BNB Smart Chain and nothing is known of it on the chain of XCR: what is sent may be lost.',
  },
  unknown_outcome: { short: 'outcome unknown', long: 'What became of its payout is unknown: look it up on the chain first.' },
}
