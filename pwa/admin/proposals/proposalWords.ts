import { titleNamesTarget, titleOfDecision } from '#shared/decisionTitles.ts'
import { type Proposal, proposalStates } from '#shared/contract/admin/proposals.ts'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { type Message, msg, plural, t, translate, translateServerText } from '#pwa/i18n/t.ts'
import { countNodes } from '../countNodes.ts'
import type { Tone } from '#pwa/ui/Badge.tsx'

export const titleOf = (proposal: Pick<Proposal, 'action' | 'target' | 'after'>): string =>
  translateServerText(titleOfDecision(proposal))

/** Whom or what it concerns: the account, the amount and where it goes, and the target of the audit log. */
export function subjectOf({
  action,
  target,
  before,
  after,
}: Pick<Proposal, 'action' | 'target' | 'before' | 'after'>): string | null {
  const record = { ...(after as object), ...(before as object) } as Record<string, unknown>
  if (action === 'bonus.grant_due') return describeDue(record.due)
  if (target === null || titleNamesTarget({ action, target })) return null
  const { amount, amountDue, wallet, fee, toAddress, others } = record
  const quantity = record.quantity ?? record.requestedQuantity
  const account = accountOf({ action, target, before, after })
  const unit = action.startsWith('withdrawal.') ? 'XCR' : 'USDT'
  const rest = Array.isArray(others) ? (others as { target?: string; before: unknown }[]) : []
  const facts = [
    account,
    typeof amount === 'string' ? `${sumOf([{ amount }, ...rest.map((one) => one.before)])} ${unit}` : undefined,
  ]
  if (rest.length > 0) facts.push(plural(rest.length + 1, '{count} payment', '{count} payments'))
  if (typeof amountDue === 'string' && amountDue !== amount) facts.push(t('of {amount} USDT due', { amount: amountDue }))
  if (action === 'purchase.approve' && Array.isArray(record.deposits))
    facts.push(t('{amount} USDT received', { amount: sumOf(record.deposits.filter(isWaiting)) }))
  if (typeof wallet === 'string') facts.push(t('wallet {address}', { address: wallet }))
  if (typeof fee === 'string') facts.push(t('fee {fee} XCR', { fee }))
  if (typeof toAddress === 'string') facts.push(t('to {address}', { address: toAddress }))
  if (typeof quantity === 'number') facts.push(countNodes(quantity))
  const targets = [...(namesAccount(target, account) ? [] : [target]), ...rest.map((one) => one.target)]
  return [...facts, targets.join(', ')].filter((fact) => typeof fact === 'string' && fact !== '').join(' · ')
}

/** Everything that it concerns, as the audit log will name it: payments may be assigned together. */
export function targetsOf({ target, before }: Pick<Proposal, 'target' | 'before'>): (string | null | undefined)[] {
  const { others } = { ...(before as object | null) } as { others?: { target?: string }[] }
  return [target, ...(others ?? []).map((one) => one.target)]
}

/** The email address of the account that it concerns, if there is one. Administrators are no accounts. */
export function accountOf({ action, target, before, after }: Pick<Proposal, 'action' | 'target' | 'before' | 'after'>) {
  const { userEmail } = { ...(after as object), ...(before as object) } as { userEmail?: unknown }
  if (typeof userEmail === 'string') return userEmail
  const named = target?.replace(/^user:/, '')
  return named?.includes('@') && !action.startsWith('admin.') ? named : undefined
}

const namesAccount = (target: string, account: string | undefined): boolean =>
  account !== undefined && (target === account || target === `user:${account}`)

/** The bonus nodes of all accounts together. */
function describeDue(due: unknown): string | null {
  if (!Array.isArray(due)) return null
  const nodes = (due as { bonusPending: number }[]).reduce((sum, { bonusPending }) => sum + bonusPending, 0)
  return [plural(due.length, '{count} account', '{count} accounts'), countNodes(nodes)].join(' · ')
}

/** Of the payments of a purchase, those that it is approved with. */
const isWaiting = (deposit: unknown): boolean => (deposit as { state?: unknown }).state === 'review'

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
