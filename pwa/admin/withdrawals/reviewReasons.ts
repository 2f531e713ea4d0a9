import { msg } from '#pwa/i18n/t.ts'

/** Why a withdrawal is in review, for the table and the decision dialog. */
export const reviewReasons = {
  short: {
    above_limit: msg('above the limit'),
    recent_change: msg('account changed'),
    foreign_contract: msg('contract wallet'),
    unknown_outcome: msg('outcome unknown'),
    paid_before: msg('wallet paid before'),
  },
  long: {
    above_limit: msg('It is above the limit of what is paid without a person.'),
    recent_change: msg('The wallet, the password or the authenticator of the account was changed in the 24 hours before it.'),
    foreign_contract: msg(
      'The wallet is a contract on BNB Smart Chain and nothing is known of it on the chain of XCR: what is sent may be lost.',
    ),
    unknown_outcome: msg('The outcome of its payout is unknown: check the chain first.'),
    paid_before: msg(
      'The payout wallet has paid this wallet before by a transfer that an operator acknowledged as foreign: it may have paid this account.',
    ),
  },
}
