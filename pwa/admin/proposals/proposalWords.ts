import { type Proposal, proposalStates } from '#shared/contract/admin/proposals.ts'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { type Message, msg, plural, t, translate } from '#pwa/i18n/t.ts'
import { countNodes } from '../countNodes.ts'
import type { Tone } from '#pwa/ui/Badge.tsx'

/** What a proposal does, by its action and, where that is not enough, its target. The unit of bare values is named here. */
const titles: Record<string, Message<never>> = {
  'settings.change node_price_usdt': msg('Change the node price (USDT)'),
  'settings.change xcr_per_node_daily': msg('Change the daily reward (XCR)'),
  'settings.change withdrawal_fee_amount': msg('Change the withdrawal fee (XCR)'),
  'settings.change fee_recipient_address': msg('Change the fee recipient'),
  'payouts.cap hour': msg('Raise the payout cap per hour (XCR)'),
  'payouts.cap day': msg('Raise the payout cap per day (XCR)'),
  'admin.invite': msg('Invite an administrator'),
  'admin.role': msg('Change the role of an administrator'),
  'admin.remove': msg('Remove an administrator'),
  'admin.ip_access': msg('Allow administrators from another address'),
  'otp.reset': msg('Remove the authenticator of an account'),
  'vesting.reset': msg('Reset vesting'),
  'bonus.assign': msg('Grant bonus nodes'),
  'bonus.grant_due': msg('Grant due bonus nodes'),
  'deposit.assign': msg('Assign a payment below the price or to another account'),
  'purchase.approve': msg('Approve a purchase without a payment'),
  'purchase.manual_confirm': msg('Confirm a purchase despite the chain'),
  'withdrawal.approve': msg('Approve a withdrawal above the limit'),
  'withdrawal.mark_paid': msg('Mark a withdrawal above the limit as paid'),
}

const everyAddress = msg('Allow administrators from every address')

export function titleOf({ action, target, after }: Pick<Proposal, 'action' | 'target' | 'after'>): string {
  const isUnrestricted = action === 'admin.ip_access' && (after as { allowedIPs?: unknown } | null)?.allowedIPs === null
  const title = isUnrestricted ? everyAddress : (titles[`${action} ${target}`] ?? titles[action])
  return title === undefined ? action : translate(title)
}

/** Whom or what it concerns: the account, the amount and where it goes, and the target of the audit log. */
export function subjectOf({
  action,
  target,
  before,
  after,
}: Pick<Proposal, 'action' | 'target' | 'before' | 'after'>): string | null {
  const record = { ...(after as object), ...(before as object) } as Record<string, unknown>
  if (action === 'bonus.grant_due') return describeDue(record.due)
  if (target === null || titles[`${action} ${target}`]) return null
  const { userEmail, amount, amountDue, wallet, fee, toAddress, others } = record
  const quantity = record.quantity ?? record.requestedQuantity
  const unit = action.startsWith('withdrawal.') ? 'XCR' : 'USDT'
  const rest = Array.isArray(others) ? (others as { target?: string; before: unknown }[]) : []
  const facts = [
    userEmail,
    typeof amount === 'string' ? `${sumOf([{ amount }, ...rest.map((one) => one.before)])} ${unit}` : undefined,
  ]
  if (rest.length > 0) facts.push(plural(rest.length + 1, '{count} payment', '{count} payments'))
  if (typeof amountDue === 'string' && amountDue !== amount) facts.push(t('of {amount} USDT due', { amount: amountDue }))
  if (typeof wallet === 'string') facts.push(t('wallet {address}', { address: wallet }))
  if (typeof fee === 'string') facts.push(t('fee {fee} XCR', { fee }))
  if (typeof toAddress === 'string') facts.push(t('to {address}', { address: toAddress }))
  if (typeof quantity === 'number') facts.push(countNodes(quantity))
  return [...facts.filter((fact) => typeof fact === 'string'), [target, ...rest.map((one) => one.target)].join(', ')].join(' · ')
}

/** The bonus nodes of all accounts together. */
function describeDue(due: unknown): string | null {
  if (!Array.isArray(due)) return null
  const nodes = (due as { bonusPending: number }[]).reduce((sum, { bonusPending }) => sum + bonusPending, 0)
  return [plural(due.length, '{count} account', '{count} accounts'), countNodes(nodes)].join(' · ')
}

/** The sum of the records' amounts, as people read it. */
const sumOf = (records: readonly unknown[]): string =>
  formatAmount(records.reduce((sum: bigint, record) => sum + (parseAmount((record as { amount: string }).amount) ?? 0n), 0n))

const states: Record<(typeof proposalStates)[number], { tone: Tone; word: Message<never> }> = {
  open: { tone: 'waiting', word: msg('Waits for approval') },
  approved: { tone: 'done', word: msg('Approved and done') },
  rejected: { tone: 'refused', word: msg('Proposal rejected') },
  withdrawn: { tone: 'neutral', word: msg('Proposal withdrawn') },
  expired: { tone: 'neutral', word: msg('Not decided in time') },
  outdated: { tone: 'refused', word: msg('Overtaken by a change') },
}

export function stateOf({ state }: Pick<Proposal, 'state'>): { tone: Tone; word: string } {
  const known = proposalStates.find((one) => one === state)
  // A newer server may have added one.
  if (!known) return { tone: 'neutral', word: state }
  const { tone, word } = states[known]
  return { tone, word: translate(word) }
}
