/** What a decision of two persons does, by its action and, where that is not enough, its target. The unit of bare values is named here. */
const titles: Readonly<Record<string, string>> = {
  'settings.change node_price_usdt': 'Change the node price (USDT)',
  'settings.change xcr_per_node_daily': 'Change the daily reward (XCR)',
  'settings.change withdrawal_fee_amount': 'Change the withdrawal fee (XCR)',
  'settings.change fee_recipient_address': 'Change the fee recipient',
  'payouts.cap hour': 'Raise the payout cap per hour (XCR)',
  'payouts.cap day': 'Raise the payout cap per day (XCR)',
  'admin.invite': 'Invite an administrator',
  'admin.role': 'Change the role of an administrator',
  'admin.remove': 'Remove an administrator',
  'admin.ip_access': 'Allow administrators from another address',
  'otp.reset': 'Remove the authenticator of an account',
  'vesting.reset': 'Reset vesting',
  'bonus.assign': 'Grant bonus nodes',
  'bonus.grant_due': 'Grant due bonus nodes',
  'deposit.assign': 'Assign a payment below the price or to another account',
  'purchase.approve': 'Approve a purchase that its wallet has not paid in full',
  'purchase.manual_confirm': 'Confirm a purchase with a transaction',
  'withdrawal.approve': 'Approve a withdrawal above the limit',
  'withdrawal.mark_paid': 'Mark a withdrawal above the limit as paid',
}

interface Decided {
  action: string
  target: string | null
  after: unknown
}

/** In English; pages translate it. An action that this version does not know is named by itself. */
export function titleOfDecision({ action, target, after }: Decided): string {
  const { allowedIPs, confirmedAgainstChain } = { ...(after as object | null) } as Record<string, unknown>
  if (action === 'admin.ip_access' && allowedIPs === null) return 'Allow administrators from every address'
  if (action === 'purchase.manual_confirm' && confirmedAgainstChain === true) return 'Confirm a purchase despite an objection'
  return titles[`${action} ${target}`] ?? titles[action] ?? action
}

/** Whether the title names the target already. */
export const titleNamesTarget = ({ action, target }: Pick<Decided, 'action' | 'target'>): boolean =>
  titles[`${action} ${target}`] !== undefined
