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
    above_limit: msg('It exceeds the limit for automatic payouts.'),
    recent_change: msg(
      'The account was frozen, or its wallet, password or authenticator was changed in the 24 hours before the request.',
    ),
    foreign_contract: msg(
      'The wallet is a contract on BNB Smart Chain and is unknown on the XCR chain. XCR sent to it may be lost.',
    ),
    unknown_outcome: msg('The outcome of its payout is unknown. Check the chain first.'),
    paid_before: msg(
      'The payout wallet has paid this wallet before, in a transfer that an operator acknowledged as unrelated. It may have paid this account.',
    ),
  },
}
