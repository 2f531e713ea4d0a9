import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { type Message, msg } from '#pwa/i18n/t.ts'

/** Why a withdrawal waits for a person: in a table, and for whoever decides on it. */
export const reviewReasons: Record<NonNullable<AdminWithdrawal['reviewReason']>, { short: Message; long: Message }> = {
  above_limit: { short: msg('above the limit'), long: msg('It is above the limit of what is paid without a person.') },
  recent_change: {
    short: msg('account changed'),
    long: msg('The wallet, the password or the authenticator of the account was changed in the 24 hours before it.'),
  },
  foreign_contract: {
    short: msg('contract wallet'),
    long: msg(
      'The wallet is a contract on BNB Smart Chain and nothing is known of it on the chain of XCR: what is sent may be lost.',
    ),
  },
  unknown_outcome: {
    short: msg('outcome unknown'),
    long: msg('What became of its payout is unknown: look it up on the chain first.'),
  },
  paid_before: {
    short: msg('wallet paid before'),
    long: msg(
      'The payout wallet has paid this wallet before by a transfer that an operator acknowledged as foreign: it may have paid this account.',
    ),
  },
}
