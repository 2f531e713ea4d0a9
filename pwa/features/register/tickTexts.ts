import { type Message, msg } from '#pwa/i18n/t.ts'
import { accountTicks, type TickName } from '#pwa/register/Report.ts'

interface TickText {
  title: Message
  /** What was checked, for somebody who has never heard of a hash. */
  about: Message
}

export const tickTexts: Record<TickName, TickText> = {
  nodes: {
    title: msg('Your nodes are in the register'),
    about: msg(
      'Each of your node numbers has a line in the published list of all nodes. The line opens only with a secret of your account and your email, so it cannot be shown to anyone else as theirs.',
    ),
  },
  rewards: {
    title: msg('Your rewards are complete'),
    about: msg("Each of your nodes has earned every day's reward since it became active."),
  },
  balance: {
    title: msg('Your balance follows from them'),
    about: msg('Your balance is exactly what your nodes have earned, less your withdrawals and their fees.'),
  },
  deposits: {
    title: msg('Your payments are counted'),
    about: msg(
      'Each payment in your receipts, and each that your wallet sent, is in the register: counted with your nodes, or refunded.',
    ),
  },
  payouts: {
    title: msg('Your withdrawals are the ones you signed'),
    about: msg('Each withdrawal has the amount, the fee and the wallet of the message that you signed, and went to that wallet.'),
  },
  receipts: {
    title: msg('Your receipts were honored'),
    about: msg(
      'Each receipt is signed by the seller and names a day. The register of that day contains what the receipt promises. A receipt that was not honored proves it to anyone.',
    ),
  },
  signature: {
    title: msg('Signed with the key of the register'),
    about: msg(
      "The newest state of the register is signed, and it is this site's own. The key follows from the register's first entry, which your receipts name.",
    ),
  },
  entries: {
    title: msg('Every entry is complete and in order'),
    about: msg('Every entry has the fixed form, stands at its place, and is dated before the books that contain it.'),
  },
  growth: {
    title: msg('Nothing has changed since your last visit'),
    about: msg('The register that this device saw last is the beginning of the present one. Entries are only ever added.'),
  },
  anchors: {
    title: msg('Every copy on the blockchain agrees'),
    about: msg(
      'Fingerprints of the register are stored in a contract that nobody can change. Each of them fits this register, so nobody is shown another one.',
    ),
  },
  fresh: {
    title: msg('The newest day is up to date'),
    about: msg("The newest books are less than 36 hours old by this device's clock."),
  },
  days: {
    title: msg('No day is missing'),
    about: msg('The days follow one another without a gap, and each was paid and published in time.'),
  },
  notice: {
    title: msg('Changes of the daily reward were announced'),
    about: msg('Each new reward per node was in the register before the first day on which it applied.'),
  },
  E1: {
    title: msg('Every node has exactly one line'),
    about: msg('Each day lists every number once, and the published counts are those of the list.'),
  },
  E2: {
    title: msg('Every sold node has its payment'),
    about: msg('Each node belongs to one purchase or grant, and each purchase was paid at the price of its time.'),
  },
  E3: {
    title: msg('Bonus nodes follow the rule'),
    about: msg('There is at most one bonus node for every ten paid ones.'),
  },
  E4: {
    title: msg("Each active node earned the day's reward"),
    about: msg("On every day each active node earned exactly the day's reward, and no other node earned anything."),
  },
  E5: {
    title: msg('What is owed adds up'),
    about: msg('What all nodes have earned is what was paid out plus what is still owed.'),
  },
  E6: {
    title: msg('Payments and payouts are those of the blockchains'),
    about: msg('Each USDT payment to the seller and each XCR payout has its entry, and each entry is on its blockchain.'),
  },
  E7: {
    title: msg('The reserve is in the wallets'),
    about: msg("The seller's payout wallets signed for this register and hold the XCR that it shows."),
  },
  E8: {
    title: msg('No node disappears or changes its kind'),
    about: msg('A sold node stays sold, a paid node stays paid, and each state follows from its purchase.'),
  },
  release: {
    title: msg('The software is the published one'),
    about: msg(
      'The register names the software that this site says it serves. A page cannot vouch for itself; the independent check can.',
    ),
  },
}

export const tickGroups: readonly { title: Message; ticks: readonly TickName[] }[] = [
  { title: msg('Your account'), ticks: accountTicks },
  { title: msg('The record'), ticks: ['signature', 'entries', 'growth', 'anchors', 'fresh', 'days', 'notice', 'release'] },
  { title: msg('The books'), ticks: ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8'] },
]
