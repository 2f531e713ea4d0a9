import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type AdminRole, adminRoles } from '#shared/adminRoles.ts'
import { type AdminDeposit, listDeposits } from '#shared/contract/admin/deposits.ts'
import { adminLoginStatus } from '#shared/contract/admin/login.ts'
import {
  listPersonDeposits,
  listPersonPurchases,
  listPersonWithdrawals,
  type PersonDeposit,
} from '#shared/contract/admin/person.ts'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import {
  answerAdminWithdrawals,
  answerBackOffice,
  answerPerson,
  answerUsers,
  pagingOf,
  someAdminUser,
  someAdminWithdrawal,
  somePerson,
} from '#pwa/testing/adminAnswers.ts'
import { amountOf, answerCommonCalls, somePurchase } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { answerAdminPurchases, answerBonus, someReviewDeposit } from '#pwa/testing/purchaseAnswers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { pathOfPerson } from './person/pathOfPerson.ts'

const api = useFakeApi()

const ofOne = <Row,>(row: Row) => ({ rows: [row], ...pagingOf(1, { limit: 10, offset: 0 }) })

/** A payment of the person that waits for a decision. */
const reviewed: PersonDeposit = {
  id: '1a2b3c4d-7c00-7000-8000-000000000001',
  transactionHash: `0x${'ab'.repeat(32)}`,
  sender: `0x${'c'.repeat(40)}`,
  amount: amountOf('7'),
  state: 'review',
  reviewReason: 'underpaid',
  purchaseId: null,
  refund: null,
  notes: null,
  seenAt: new Date('2026-11-20T08:00:00Z'),
}

const waitingDeposit: AdminDeposit = {
  id: reviewed.id,
  transactionHash: reviewed.transactionHash,
  sender: reviewed.sender,
  amount: reviewed.amount,
  state: 'review',
  reason: 'unmatched',
  userId: null,
  userEmail: null,
  purchaseId: null,
  refundHash: null,
  refundedAmount: null,
  notes: null,
  seenAt: reviewed.seenAt,
  closedAt: null,
}

/** What each place offers, and who sees it. */
const actions: [at: string, action: string | RegExp, role: 'link' | 'button', seenBy: AdminRole[]][] = [
  ['/admin-panel?tab=withdrawals', /^Approve/, 'button', ['finance', 'owner']],
  ['/admin-panel?tab=withdrawals', 'Download as CSV', 'link', ['finance', 'owner']],
  ['/admin-panel?tab=users', /^Reset password of/, 'button', ['support', 'owner']],
  ['/admin-panel?tab=users', 'Start vesting', 'button', ['owner']],
  ['/admin-panel?tab=purchases', /^Ignore the/, 'button', ['finance', 'owner']],
  ['/admin-panel?tab=deposits', 'Decide', 'link', ['finance', 'owner']],
  ['/admin-panel?tab=bonus', 'Grant all due', 'button', ['finance', 'owner']],
  ['/admin-panel?tab=health', 'Report an incident', 'button', ['support', 'finance', 'owner']],
  ['/admin-panel?tab=audit', 'Download as CSV', 'link', ['viewer', 'finance', 'owner']],
  [`${pathOfPerson(somePerson().id)}?part=xcr`, /^Approve/, 'button', ['finance', 'owner']],
  [`${pathOfPerson(somePerson().id)}?part=purchases`, /^Manual confirm/, 'button', ['finance', 'owner']],
  [`${pathOfPerson(somePerson().id)}?part=purchases`, 'Decide', 'link', ['finance', 'owner']],
]
/** Stands on every one of these pages once it is loaded. */
const loaded: Record<string, RegExp | string> = {
  withdrawals: 'mina@example.com',
  users: 'mina@example.com',
  purchases: /Deposit|payment/i,
  bonus: 'Bonus status',
  deposits: 'In review',
  health: 'Incidents on the status page',
  audit: 'Time (UTC)',
  'person xcr': 'In review',
  'person purchases': 'In review',
}

test.each(actions.flatMap((action) => adminRoles.map((role) => [role, ...action] as const)))(
  '%s at %s: %s',
  async (role, at, name, kind, seenBy) => {
    answerCommonCalls(api)
    answerBackOffice(api, { role })
    answerUsers(api, [someAdminUser({ email: 'mina@example.com' })])
    answerAdminWithdrawals(api, [someAdminWithdrawal({ userEmail: 'mina@example.com', status: 'manual_review' })])
    answerAdminPurchases(api, [], { deposits: [someReviewDeposit()] })
    answerBonus(api, [])
    api.answer(listDeposits, ({ query }) => ({ deposits: [waitingDeposit], ...pagingOf(1, query), summary: null }))
    answerPerson(api)
    api.answer(listPersonWithdrawals, () => ofOne(someAdminWithdrawal({ status: 'manual_review', reviewReason: 'above_limit' })))
    api.answer(listPersonPurchases, () =>
      ofOne({ ...somePurchase({ paymentStatus: 'pending' }), unitPriceUsdt: amountOf('3'), wallet: null, confirmedAt: null }),
    )
    api.answer(listPersonDeposits, () => ofOne(reviewed))
    renderPage(<AdminArea />, { at })
    const place = new URLSearchParams(at.split('?')[1])
    await screen.findAllByText(loaded[place.get('tab') ?? `person ${place.get('part')}`]!)
    const found = () => screen.queryAllByRole(kind, { name })
    if (seenBy.includes(role)) expect((await screen.findAllByRole(kind, { name })).length).toBeGreaterThan(0)
    else expect(found()).toEqual([])
  },
)

test('an administrator whose role changes while the panel is open is told, and offered only what the new one allows', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  answerBonus(api, [])
  const { queryClient } = renderPage(<AdminArea />, { at: '/admin-panel?tab=bonus' })
  expect(await screen.findByRole('button', { name: 'Grant all due' })).toBeVisible()

  answerBackOffice(api, { role: 'viewer' })
  await queryClient.invalidateQueries({ queryKey: [adminLoginStatus.path] })

  expect(await screen.findByText('Your role is now: Viewer')).toBeVisible()
  expect(screen.getByText('Sees everything and changes nothing.')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Grant all due' })).toBeNull()
})
