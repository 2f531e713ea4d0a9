import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { isSameObjection, type Objection } from '#shared/objections.ts'
import { type ObjectionCode, objectTo, textOfObjection } from '#shared/objectionTexts.ts'
import { isOnlyOthers, readProvers } from '#api/accounts/wallets/readProvers.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { DomainError } from '#api/platform/errors.ts'
import { MAX_REPORTERS, readReportersOf } from './readReporters.ts'

/** A previous state for the audit log, with what the decision overrides: the approver of a proposal sees it, and approves nothing else. */
export const withOverridden = (before: object, overridden: readonly Objection[]): object => ({
  ...before,
  ...(overridden.length > 0 && { overridden: overridden.map(textOfObjection).join('\n') }),
})

export interface Overriding {
  /** The objections that the administrator was shown and sets aside; all that hold, if absent. */
  overridden?: readonly Objection[] | undefined
  /** One person decides, because nothing held that needs two. It may have come up since: a proof of a wallet takes none of these locks. */
  isPlain?: boolean | undefined
}

/** Whether two persons decide. One alone accepts more than is due: the rest buys nothing. */
export const needsTwo = (objections: readonly Objection[]): boolean => objections.some(({ code }) => code !== 'received_more')

/**
 * Refuses a decision that names what it overrides, unless that is everything that speaks against it (decisions/0051).
 *
 * @throws 409 with all objections.
 */
export function requireNamed(objections: readonly Objection[], { overridden, isPlain }: Overriding): void {
  const isNamed = (one: Objection) => !overridden || overridden.some((named) => isSameObjection(one, named))
  if (objections.every(isNamed) && !(isPlain && needsTwo(objections))) return
  throw new DomainError(codeOf(objections), objections.map(textOfObjection).join(' '), { status: 409, objections })
}

/** Pages of earlier releases know the codes of one objection to a transaction, and keep what was typed. */
function codeOf(objections: readonly Objection[]): 'transaction_not_found' | 'transaction_foreign' | 'objections_hold' {
  if (objections.some(({ code }) => code === 'transaction_not_found')) return 'transaction_not_found'
  return objections.some(isToTransaction) ? 'transaction_foreign' : 'objections_hold'
}

/** Of these none holds if the transaction transfers the amount from a wallet that the buyer has proven, if anybody has. */
const toTransaction: readonly string[] = [
  'transaction_not_found',
  'transaction_failed',
  'transaction_unlike_deposit',
  'transfers_no_usdt',
  'transfers_elsewhere',
  'other_wallet',
  'amount_differs',
  'wallet_of_another',
] satisfies ObjectionCode[]

export const isToTransaction = ({ code }: Objection): boolean => toTransaction.includes(code)

interface OwnersOf {
  senders: Iterable<Address>
  /** False if they only may have sent it: an account that has reported it may be right. */
  areSendersKnown?: boolean
  deposits: readonly Deposit[]
  buyer: string
  /** The transaction, if it may not be read yet. */
  hash?: Hash
}

/**
 * The accounts, other than the buyer's, that were the last to prove one of the wallets, also if they are not connected now, that have one of
 * the payments (money.md 16), or that have reported one of a wallet that is not the buyer's.
 */
export async function findOwnerObjections(
  em: EntityManager,
  { senders, areSendersKnown = true, deposits, buyer, hash }: OwnersOf,
): Promise<Objection[]> {
  const objections: Objection[] = []
  const named = new Set<string>()
  const foreign = new Set<Address>()
  const emailOf = async (id: string) => (await em.findOneOrFail(User, id)).email
  for (const wallet of new Set(senders)) {
    const provers = await readProvers(em, wallet)
    const [owner] = provers
    if (owner !== buyer || !areSendersKnown) foreign.add(wallet)
    if (owner === undefined || owner === buyer) continue
    named.add(owner)
    const code = isOnlyOthers(provers, buyer) ? 'wallet_of_another' : 'wallet_last_of_another'
    objections.push(objectTo(code, { wallet, account: await emailOf(owner) }))
  }
  const claimed = deposits.filter(({ sender }) => foreign.has(sender))
  const hashes = [...claimed.map(({ transactionHash }) => transactionHash), ...(hash && foreign.size > 0 ? [hash] : [])]
  const attached = await em.find(Purchase, { id: claimed.flatMap(({ purchase }) => purchase?.id ?? []) })
  const reporters = [...(await readReportersOf(em, hashes)).values()].flat().slice(0, MAX_REPORTERS)
  const others = [
    ...deposits.map(({ user }) => ['payment_of_another', user?.id] as const),
    ...[...attached.map(({ user }) => user.id), ...reporters.map(({ userId }) => userId)].map(
      (id) => ['reported_by_another', id] as const,
    ),
  ]
  for (const [code, id] of others) {
    if (id === undefined || id === buyer || named.has(id)) continue
    named.add(id)
    objections.push(objectTo(code, { account: await emailOf(id) }))
  }
  return objections
}
