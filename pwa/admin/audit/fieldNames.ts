import type { SettingKey } from '#shared/settings.ts'
import { type Message, msg, translateServerText } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { reasonNames, stateNames } from '../deposits/depositWords.ts'
import { roleNames } from '../roleNames.ts'
import { reviewReasons } from '../withdrawals/reviewReasons.ts'
import { actionNames } from './actionNames.ts'

/** What the panel calls the values that the audit log and proposals record. */
const fieldNames: Readonly<Record<string, Message>> = {
  accountsWithRecoveryCodes: msg('Accounts with recovery codes'),
  action: msg('Action'),
  address: msg('Wallet'),
  adminNotes: msg('Notes'),
  allowedIPs: msg('Allowed IP addresses'),
  allowedIps: msg('Allowed IP addresses'),
  amount: msg('Amount'),
  amountDue: msg('Amount due'),
  assignedTo: msg('Assigned to'),
  authenticators: msg('Authenticators'),
  bonusPending: msg('Bonus nodes due'),
  bonusReceived: msg('Bonus nodes received'),
  by: msg('Confirmed with'),
  cap: msg('Cap (XCR)'),
  codesLeft: msg('Recovery codes left'),
  confirmedAgainstChain: msg('Despite an objection'),
  deposits: msg('Payments'),
  due: msg('Due bonus nodes'),
  effectiveFrom: msg('In effect from'),
  email: msg('Email'),
  enabledAt: msg('Authenticator set up'),
  ended: msg('Devices logged out'),
  entries: msg('Entries'),
  expiresAt: msg('Valid until'),
  fee: msg('Fee (XCR)'),
  file: msg('File'),
  finalQuantity: msg('Nodes allocated'),
  format: msg('Format'),
  from: msg('From'),
  frozen: msg('Account frozen'),
  frozenAt: msg('Account frozen since'),
  granted: msg('Bonus nodes granted'),
  heldUntil: msg('On hold until'),
  holdsWithdrawals: msg('Withdrawals on hold'),
  id: msg('ID'),
  invitedBy: msg('Invited by'),
  key: msg('Setting'),
  lastCodeAt: msg('Last code used'),
  limit: msg('Daily limit (XCR)'),
  namedTransaction: msg('Transaction named'),
  next: msg('Planned limit'),
  note: msg('Note'),
  notes: msg('Notes'),
  numbers: msg('Node numbers'),
  others: msg('Other payments'),
  outcome: msg('Outcome'),
  overridden: msg('Objection overridden'),
  override: msg('Despite an objection'),
  owedDeposit: msg('Payment still owed'),
  passkey: msg('Passkey'),
  passkeys: msg('Passkeys'),
  passwordChanged: msg('Password changed'),
  period: msg('Period'),
  proposal: msg('Proposal'),
  proposedBy: msg('Proposed by'),
  proven: msg('Ownership proven'),
  purchaseId: msg('Purchase'),
  quantity: msg('Nodes'),
  rate: msg('Daily reward (XCR)'),
  reason: msg('Reason'),
  recoveryCodesLeft: msg('Recovery codes left'),
  refundHash: msg('Refund transaction'),
  refundOrdinal: msg('Place in the refund transaction'),
  requestedQuantity: msg('Nodes requested'),
  resetsAt: msg('Removed on'),
  resolvedAt: msg('Resolved'),
  result: msg('Result'),
  reviewReason: msg('Reason for the review'),
  rewards: msg('Rewards'),
  role: msg('Role'),
  state: msg('State'),
  status: msg('Status'),
  stoppedBecause: msg('Stopped because'),
  text: msg('Text'),
  thawsAt: msg('Thaw planned for'),
  title: msg('Title'),
  toAddress: msg('Paid to'),
  transactionHash: msg('Transaction hash'),
  until: msg('Until'),
  userEmail: msg('Account'),
  userIds: msg('Accounts'),
  username: msg('Username'),
  value: msg('Value'),
  vestingStartDate: msg('Vesting start'),
  wallet: msg('Wallet'),
  wallets: msg('Wallets'),
  withdrawal: msg('Withdrawal'),
  withdrawals: msg('Withdrawals'),
}

/** Where a proposed call keeps its values. The names of these levels tell nobody anything. */
const levels = ['arguments', 'params', 'body']

/** The name of a value by its path: "Assigned to › Status" for "assignedTo.status". One that has none is shown as it is. */
export const nameOfField = (path: string): string =>
  path
    .split('.')
    .filter((part, place, all) => place === all.length - 1 || !levels.includes(part))
    .map((part) => wordOf(fieldNames, part))
    .join(' › ')

/** What the settings page calls each setting. */
const settingNames: Readonly<Record<SettingKey, Message>> = {
  sales_enabled: msg('Sales control'),
  server_notice_enabled: msg('Server notice popup'),
  sales_start_date: msg('Sales start date and time'),
  withdrawal_fee_amount: msg('Withdrawal fee'),
  fee_recipient_address: msg('Fee recipient address'),
  node_price_usdt: msg('Node price'),
  xcr_per_node_daily: msg('Daily reward'),
}

/** Values that the panel has words for, by the name of their field. */
const valueWords: Readonly<Partial<Record<string, Readonly<Record<string, Message>>>>> = {
  action: actionNames,
  key: settingNames,
  reviewReason: { ...reasonNames, ...reviewReasons.short },
  role: roleNames,
  state: stateNames,
}

/** A value as the panel calls it, by the path of its field. */
export function nameOfValue(path: string, value: string): string {
  // Each objection is a sentence on a line of its own.
  if (path === 'overridden') return value.split('\n').map(translateServerText).join(' ')
  const words = valueWords[path.slice(path.lastIndexOf('.') + 1)]
  return words ? wordOf(words, value) : value
}

/** The name of an entry's target, if that is a setting or, of a decision about no row, an action; nothing otherwise. */
export function nameOfTarget(target: string): string | undefined {
  const name = wordOf({ ...settingNames, ...actionNames }, target)
  return name === target ? undefined : name
}
