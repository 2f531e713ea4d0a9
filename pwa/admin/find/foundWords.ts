import type { Found } from '#shared/contract/admin/find.ts'
import { msg, t } from '#pwa/i18n/t.ts'
import { type PersonPart, pathOfPerson } from '../person/pathOfPerson.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { shortenId } from '#pwa/ui/shortenId.ts'

const kinds = {
  user: msg('User'),
  node: msg('Node'),
  purchase: msg('Purchase'),
  deposit: msg('Payment'),
  withdrawal: msg('Withdrawal'),
}

const matches = {
  email: msg('by email'),
  wallet: msg('by wallet'),
  former_wallet: msg('by a former wallet'),
  sender: msg('by its sender'),
  hash: msg('by its transaction'),
  claimed_hash: msg('by the reported transaction'),
  refund_hash: msg('by its refund'),
  id: msg('by ID'),
  number: msg('by number'),
}

/** "Purchase 1a2b3c4d", "Node 1042", "User". */
export function nameFound({ kind, id }: Found): string {
  const word = wordOf(kinds, kind)
  if (kind === 'user') return word
  if (kind === 'deposit') return `${word} ${shortenId(id, { isTimed: true })}`
  return `${word} ${kind === 'node' ? id : shortenId(id)}`
}

/** What the text is of it. */
export const explainFound = ({ matched }: Found): string => wordOf(matches, matched)

/** Whose it is, or that nobody is known. */
export const ownerOf = ({ userEmail }: Found): string => userEmail ?? t('unknown user')

/** The part of an account's page that shows it. */
export const partOfKind: Partial<Record<string, PersonPart>> = {
  node: 'purchases',
  purchase: 'purchases',
  deposit: 'purchases',
  withdrawal: 'xcr',
}

/** The page of its account. Without one, the list that shows it. */
export function pathOfFound({ kind, status, userId, userEmail }: Found): string {
  if (userId) return pathOfPerson(userId, partOfKind[kind])
  const tab = kind === 'user' ? 'users' : kind === 'withdrawal' ? 'withdrawals' : 'purchases'
  const isInReview = kind === 'deposit' && (status === 'review' || status === 'orphaned')
  const place = { tab, ...(isInReview && { status: 'waiting' }), ...(userEmail && { email: userEmail }) }
  return `/admin-panel?${new URLSearchParams(place)}`
}
