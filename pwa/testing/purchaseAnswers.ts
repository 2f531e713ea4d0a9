import { type BonusRow, listBonusDue, listBonusStatus } from '#shared/contract/admin/bonus.ts'
import { listAdminPurchases, listPendingReviews, type ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { pagingOf } from './adminAnswers.ts'
import { amountOf, somePurchase } from './answers.ts'
import type { FakeApi } from './fakeApi.ts'

type Reviews = Output<typeof listPendingReviews>

export const someReviewDeposit = (changes: Partial<ReviewDeposit> = {}): ReviewDeposit => ({
  id: '01936b2a-7c00-7000-8000-000000000401',
  transactionHash: `0x${'a'.repeat(64)}`,
  sender: '0x1f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b99',
  amount: amountOf('31.5'),
  reason: 'unmatched',
  mayBeRefunded: false,
  probableUserEmail: null,
  purchaseId: null,
  affordableNodes: 10,
  seenAt: new Date('2026-11-20T07:31:00Z'),
  dueBy: new Date('2026-11-27T07:31:00Z'),
  ...changes,
})

export const someReviewPurchase = (changes: Partial<Reviews['purchases'][number]> = {}): Reviews['purchases'][number] => ({
  ...somePurchase({ paymentStatus: 'manual_review', finalQuantity: null, nodeNumbers: [], purchaseResult: 'amount_mismatch' }),
  id: '01936b2a-7c00-7000-8000-000000000501',
  seenAt: new Date('2026-11-20T07:31:00Z'),
  dueBy: new Date('2026-11-27T07:31:00Z'),
  ...changes,
})

export const someBonusRow = (changes: Partial<BonusRow> = {}): BonusRow => ({
  userId: '01936b2a-7c00-7000-8000-000000000001',
  userEmail: 'mara@example.com',
  userName: 'mara',
  paidNodes: 20,
  bonusEligible: 2,
  bonusReceived: 0,
  bonusPending: 2,
  ...changes,
})

const sum = (purchases: readonly Purchase[]) => purchases.reduce((nodes, { finalQuantity }) => nodes + (finalQuantity ?? 0), 0)

/** Groups deposits as the server does. */
const groupBySender = (deposits: readonly ReviewDeposit[]): Reviews['groups'] =>
  [...Map.groupBy(deposits, ({ id, sender, reason }) => (reason === 'orphaned' ? id : sender)).values()].map((ofOne) => ({
    ...ofOne[0]!,
    depositIds: ofOne.map(({ id }) => id),
    count: ofOne.length,
    amount: ofOne.reduce((sum, { amount }) => sum + amount, 0n),
    affordableNodes: ofOne.reduce((sum, { affordableNodes }) => sum + affordableNodes, 0),
  }))

/** Fakes all purchases and the cases in review. Returns the requests; changing the lists changes the next responses. */
export function answerAdminPurchases(api: FakeApi, purchases: Purchase[], reviews: Partial<Reviews> = {}) {
  const requests: { email?: string | undefined; limit: number; offset: number }[] = []
  api.answer(listAdminPurchases, ({ query }) => {
    requests.push(query)
    const { email, offset, limit } = query
    const found = purchases.filter(({ user }) => user.email.includes(email ?? ''))
    const paid = sum(found.filter(({ purchaseAmountUsdt }) => purchaseAmountUsdt > 0n))
    const all = sum(found)
    return {
      purchases: found.slice(offset, offset + limit),
      ...pagingOf(found.length, query),
      summary: email ? { purchaseCount: found.length, paidNodes: paid, bonusNodes: all - paid, totalNodes: all } : null,
    }
  })
  api.answer(listPendingReviews, ({ query: { limit, offset } }) => {
    const { deposits = [], purchases = [], groups = groupBySender(deposits) } = reviews
    return {
      purchases,
      deposits,
      groups: groups.slice(offset, offset + limit),
      otherPurchases: [],
      unmatchedUsdt: 0n,
      ...pagingOf(purchases.length + groups.length, { limit, offset }),
      ...reviews,
    }
  })
  return requests
}

/** Fakes the users' bonuses. Returns the requested pages. */
export function answerBonus(api: FakeApi, users: readonly BonusRow[], { remaining = 19_000 } = {}) {
  const requests: number[] = []
  api.answer(listBonusStatus, ({ query: { limit, offset } }) => {
    requests.push(offset / limit + 1)
    return { users: users.slice(offset, offset + limit), ...pagingOf(users.length, { limit, offset }) }
  })
  api.answer(listBonusDue, () => {
    const due = users.filter(({ bonusPending }) => bonusPending > 0)
    return { users: [...due], totalNodes: due.reduce((nodes, { bonusPending }) => nodes + bonusPending, 0), remaining }
  })
  return requests
}
