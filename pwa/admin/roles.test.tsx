import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type AdminRole, adminRoles } from '#shared/adminRoles.ts'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import {
  answerAdminWithdrawals,
  answerBackOffice,
  answerPerson,
  answerUsers,
  someAdminUser,
  someAdminWithdrawal,
} from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { answerAdminPurchases, answerBonus, someReviewDeposit } from '#pwa/testing/purchaseAnswers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'

const api = useFakeApi()

/** What each place offers, and who sees it. */
const actions: [at: string, action: string | RegExp, role: 'link' | 'button', seenBy: AdminRole[]][] = [
  ['/admin-panel?tab=withdrawals', /^Approve/, 'button', ['finance', 'owner']],
  ['/admin-panel?tab=withdrawals', 'Download as CSV', 'link', ['finance', 'owner']],
  ['/admin-panel?tab=users', /^Reset password of/, 'button', ['support', 'owner']],
  ['/admin-panel?tab=users', 'Start vesting', 'button', ['owner']],
  ['/admin-panel?tab=purchases', /^Ignore the/, 'button', ['finance', 'owner']],
  ['/admin-panel?tab=bonus', 'Grant all due', 'button', ['finance', 'owner']],
  ['/admin-panel?tab=health', 'Report an incident', 'button', ['support', 'finance', 'owner']],
  ['/admin-panel?tab=audit', 'Download as CSV', 'link', ['viewer', 'finance', 'owner']],
]
/** Stands on every one of these pages once it is loaded. */
const loaded: Record<string, RegExp | string> = {
  withdrawals: 'mina@example.com',
  users: 'mina@example.com',
  purchases: /Deposit|payment/i,
  bonus: 'Bonus status',
  health: 'Incidents on the status page',
  audit: 'Time (UTC)',
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
    answerPerson(api)
    renderPage(<AdminArea />, { at })
    const tab = new URLSearchParams(at.split('?')[1]).get('tab')!
    await screen.findAllByText(loaded[tab]!)
    const found = () => screen.queryAllByRole(kind, { name })
    if (seenBy.includes(role)) expect((await screen.findAllByRole(kind, { name })).length).toBeGreaterThan(0)
    else expect(found()).toEqual([])
  },
)
