import type { DepositFilter } from '#shared/contract/admin/deposits.ts'
import { type Message, msg } from '#pwa/i18n/t.ts'
import type { Tone } from '#pwa/ui/Badge.tsx'

export const depositReasons = ['underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched'] as const
export type DepositReason = (typeof depositReasons)[number]

export const reasonNames: Record<DepositReason, Message> = {
  underpaid: msg('Too little'),
  overpaid: msg('Too much'),
  late: msg('Late'),
  wrong_wallet: msg('Another wallet'),
  insufficient_supply: msg('Insufficient supply'),
  unmatched: msg('No purchase'),
}

export const stateNames: Record<DepositFilter, Message> = {
  waiting: msg('Only waiting'),
  seen: msg('Not final yet'),
  matched: msg('Paid for a purchase'),
  review: msg('In review'),
  ignored: msg('Ignored'),
  assigned: msg('Assigned'),
  refunded: msg('Refunded'),
  orphaned: msg('Orphaned'),
}

export const stateTones: Partial<Record<string, Tone>> = {
  seen: 'accent',
  matched: 'done',
  review: 'waiting',
  assigned: 'done',
  refunded: 'neutral',
  orphaned: 'refused',
}
