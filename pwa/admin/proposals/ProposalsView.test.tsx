import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { getAdminStats } from '#shared/contract/admin/office.ts'
import { listAdminPasskeys } from '#shared/contract/admin/passkeys.ts'
import {
  approveProposal,
  listProposals,
  type Proposal,
  rejectProposal,
  withdrawProposal,
} from '#shared/contract/admin/proposals.ts'
import { answerBackOffice, someAdminStats, someAdminWithdrawal } from '#pwa/testing/adminAnswers.ts'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { someProposal } from '#pwa/testing/someProposal.ts'
import { WithdrawalState } from '../withdrawals/WithdrawalState.tsx'

const api = useFakeApi()

function open(proposals: Proposal[], { owners = 2 } = {}) {
  answerCommonCalls(api)
  answerBackOffice(api, { waiting: { proposals: 1 } })
  api.answer(listAdminPasskeys, () => ({ passkeys: [], factors: [] }))
  const paging = { totalCount: proposals.length, currentPage: 1, totalPages: 1, hasNextPage: false, hasPrevPage: false }
  api.answer(listProposals, () => ({ proposals, owners, ...paging }))
  return renderPage(<AdminArea />, { at: '/admin-panel?tab=proposals' })
}

const list = async () => within(await screen.findByRole('list', { name: 'Proposals' }))

test('a proposal shows who wants what, before and after, and its approval sends the hash that was shown', async () => {
  const proposal = someProposal()
  const { person } = open([proposal])
  const row = await list()
  expect(row.getByText('Change the node price (USDT)')).toBeVisible()
  expect(row.getByText('3')).toBeVisible()
  expect(row.getByText('4')).toBeVisible()
  expect(row.getByText(/Proposed by mina/)).toBeVisible()
  expect(await screen.findByRole('link', { name: '1 proposal to approve' })).toBeVisible()
  const asked: unknown[] = []
  expect(await screen.findByText(/^300 sold/)).toBeVisible()
  api.answer(getAdminStats, () => someAdminStats({ paidNodesSold: 310 }))
  api.answer(approveProposal, ({ body }) => {
    asked.push(body)
    return { message: 'The setting is saved.', proposal: { ...proposal, state: 'approved', mayDecide: false } }
  })
  await person.click(row.getByRole('button', { name: 'Approve proposal' }))
  const dialog = within(await screen.findByRole('dialog'))
  await person.type(await dialog.findByLabelText('Your password'), 'Passw0rd!')
  await person.click(dialog.getByRole('button', { name: 'Approve proposal' }))
  expect(await screen.findByText('Proposal approved')).toBeVisible()
  expect(await screen.findByText(/^310 sold/)).toBeVisible()
  expect(asked).toEqual([{ hash: proposal.hash, password: 'Passw0rd!' }])
})

test('a proposal is rejected with a reason, and the own one is withdrawn', async () => {
  const [other, mine] = [
    someProposal({
      action: 'withdrawal.approve',
      target: 'withdrawal:1',
      before: { userEmail: 'a@example.com', toAddress: '0xabc', amount: '200000', fee: '5' },
    }),
    someProposal({ isMine: true, mayDecide: false }),
  ]
  const { person } = open([other, mine])
  const row = await list()
  expect(row.getByText('a@example.com · 200000 XCR · fee 5 XCR · to 0xabc · withdrawal:1')).toBeVisible()
  const reasons: string[] = []
  api.answer(rejectProposal, ({ body }) => {
    reasons.push(body.reason)
    return { message: 'The proposal is rejected.', proposal: other }
  })
  await person.click(row.getByRole('button', { name: 'Reject proposal' }))
  const dialog = within(await screen.findByRole('dialog'))
  await person.type(dialog.getByLabelText('Reason'), 'Too much')
  await person.click(dialog.getByRole('button', { name: 'Reject proposal' }))
  expect(await screen.findByText('The proposal is rejected.')).toBeVisible()
  expect(reasons).toEqual(['Too much'])

  api.answer(withdrawProposal, () => ({ message: 'The proposal is withdrawn.', proposal: mine }))
  await person.click(row.getByRole('button', { name: 'Withdraw proposal' }))
  await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Withdraw proposal' }))
  expect(await screen.findByText('The proposal is withdrawn.')).toBeVisible()
})

test('an assigned payment is shown with its account, amount and nodes', async () => {
  open([
    someProposal({
      action: 'deposit.assign',
      target: 'deposit:1',
      before: { amount: '3' },
      after: { amount: '3', userEmail: 'a@example.com', quantity: 5000 },
    }),
  ])
  expect((await list()).getByText('a@example.com · 3 USDT · 5,000 nodes · deposit:1')).toBeVisible()
})

test('a purchase to be approved is shown with its account, wallet, nodes, what is due and what was received', async () => {
  const record = { userEmail: 'a@example.com', amount: '270', amountDue: '300', wallet: '0xabc', requestedQuantity: 100 }
  open([
    someProposal({
      action: 'purchase.approve',
      target: 'purchase:1',
      before: {
        ...record,
        status: 'pending',
        deposits: [
          { amount: '100', state: 'review' },
          { amount: '20.5', state: 'review' },
          { amount: '9', state: 'seen' },
        ],
      },
      after: { ...record, status: 'confirmed' },
    }),
  ])
  expect(
    (await list()).getByText(
      'a@example.com · 270 USDT · of 300 USDT due · 120.5 USDT received · wallet 0xabc · 100 nodes · purchase:1',
    ),
  ).toBeVisible()
})

test('a grant of all due bonus nodes is shown with the number of accounts and nodes', async () => {
  const due = [
    { userEmail: 'a@example.com', paidNodes: 20, bonusReceived: 0, bonusPending: 2 },
    { userEmail: 'b@example.com', paidNodes: 50, bonusReceived: 1, bonusPending: 4 },
  ]
  open([someProposal({ action: 'bonus.grant_due', target: null, before: { due }, after: {} })])
  expect((await list()).getByText('2 accounts · 6 nodes')).toBeVisible()
})

test('payments that are assigned together are shown with their sum and each of them', async () => {
  const others = [
    { target: 'deposit:2', before: { amount: '9000.5' } },
    { target: 'deposit:3', before: { amount: '6000' } },
  ]
  open([
    someProposal({
      action: 'deposit.assign',
      target: 'deposit:1',
      before: { amount: '3', others },
      after: { amount: '3', userEmail: 'a@example.com', quantity: 5000, others },
    }),
  ])
  const row = await list()
  expect(row.getByText('a@example.com · 15003.5 USDT · 3 payments · 5,000 nodes · deposit:1, deposit:2, deposit:3')).toBeVisible()
  expect(row.queryByText(/others/)).toBeNull()
})

test('the account that a proposal is about is a link to its page, and its values have names', async () => {
  const userId = '01936b2a-7c00-7000-8000-000000000001'
  const nothing = { frozenAt: null, thawsAt: null }
  const removal = {
    action: 'otp.reset',
    target: 'a@example.com',
    userId,
    before: { enabledAt: '2026-11-20T09:00:00.000Z', recoveryCodesLeft: 3, ...nothing },
    after: nothing,
  }
  const grant = { action: 'bonus.assign', target: 'user:a@example.com', userId, before: {}, after: { quantity: 5 } }
  const assignment = {
    action: 'deposit.assign',
    target: 'deposit:1',
    userId,
    before: { amount: '3' },
    after: { amount: '3', userEmail: 'a@example.com', quantity: 5000 },
  }
  open([someProposal(removal), someProposal(grant), someProposal(assignment)])
  const row = await list()
  expect(row.getAllByRole('link', { name: 'a@example.com' }).map((link) => link.getAttribute('href'))).toEqual(
    Array(3).fill(`/admin-panel/users/${userId}`),
  )
  expect(row.getByText('Authenticator set up')).toBeVisible()
  expect(row.getByText('Recovery codes left')).toBeVisible()
  expect(row.queryByText(/enabledAt|recoveryCodesLeft|quantity|user:/)).toBeNull()
  expect(row.getByText('· 3 USDT · 5,000 nodes · deposit:1')).toBeVisible()
})

test('an address added to the IP list is told from the removal of the list', async () => {
  const change = (id: string, after: string[] | null) =>
    someProposal({
      id,
      action: 'admin.ip_access',
      target: null,
      before: { allowedIPs: ['10.0.0.7'] },
      after: { allowedIPs: after },
    })
  open([change(crypto.randomUUID(), ['10.0.0.7', '10.0.0.8']), change(crypto.randomUUID(), null)])
  const row = await list()
  expect(row.getByText('Allow administrators from another address')).toBeVisible()
  expect(row.getByText('10.0.0.7, 10.0.0.8')).toBeVisible()
  expect(row.getByText('Allow administrators from every address')).toBeVisible()
})

test('the question before an approval repeats the reason', async () => {
  const { person } = open([someProposal({ reason: 'Phase two' })])
  await person.click((await list()).getByRole('button', { name: 'Approve proposal' }))
  expect(within(await screen.findByRole('dialog')).getByText('Reason: Phase two')).toBeVisible()
})

test.each([
  ['of another, for another role', { isMine: false, mayDecide: false }, true],
  ['of another', { isMine: false, mayDecide: true }, false],
  ['of oneself', { isMine: true, mayDecide: false }, false],
])('a proposal %s says whether the role cannot approve it', async (_whose, changes, isSaid) => {
  open([someProposal(changes)])
  const row = await list()
  expect(row.queryByText('Your role cannot approve it.') !== null).toBe(isSaid)
})

test('with one owner it says that nothing needs a second person, and a refused approval is told', async () => {
  const { person } = open([someProposal()], { owners: 1 })
  expect(await screen.findByText('There is one owner')).toBeVisible()
  api.answer(approveProposal, () => {
    throw refusal(409, 'proposal_outdated', 'What it would change has changed meanwhile. Please propose it again.')
  })
  await person.click((await list()).getByRole('button', { name: 'Approve proposal' }))
  const dialog = within(await screen.findByRole('dialog'))
  await person.type(await dialog.findByLabelText('Your password'), 'Passw0rd!')
  await person.click(dialog.getByRole('button', { name: 'Approve proposal' }))
  expect(await screen.findByText('What it would change has changed meanwhile. Please propose it again.')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('the row of what was proposed says that it waits, until it is decided', async () => {
  const withdrawal = someAdminWithdrawal()
  const target = `withdrawal:${withdrawal.id}`
  open([someProposal({ target, state: 'rejected', mayDecide: false })])
  cleanup()
  renderPage(<WithdrawalState withdrawal={withdrawal} />)
  expect(screen.queryByText('Waits for approval')).not.toBeInTheDocument()
  cleanup()
  open([someProposal({ target })])
  cleanup()
  renderPage(<WithdrawalState withdrawal={withdrawal} />)
  expect(await screen.findByText('Waits for approval')).toBeVisible()
})

test('a daily reward that is proposed says from when it would be paid', async () => {
  const after = { value: '12', effectiveFrom: '2026-11-28T09:00:00.000Z' }
  const { person } = open([someProposal({ target: 'xcr_per_node_daily', before: { value: '10' }, after })])
  expect(await screen.findByText('In effect from')).toBeVisible()
  expect(screen.getByText('Value').parentElement).toHaveTextContent('Value 10 → 12')
  await person.click(await screen.findByRole('tab', { name: 'System settings' }))
  expect(await screen.findByText('10 XCR → 12 XCR, from 28 Nov 2026, 09:00 UTC')).toBeVisible()
})

test('a setting whose change is proposed shows it with a link, and its value as before', async () => {
  const { person } = open([
    someProposal(),
    someProposal({ target: 'xcr_per_node_daily', state: 'withdrawn' }),
    someProposal({ action: 'admin.invite', target: 'fay@example.com', before: null, after: { role: 'owner' }, isMine: true }),
  ])
  await person.click(await screen.findByRole('tab', { name: 'System settings' }))
  const card = async (name: string) => within((await screen.findByRole('heading', { name })).closest('section')!)
  const price = await card('Node price')
  expect(await price.findByText('Proposed by mina, not done yet')).toBeVisible()
  expect(price.getByText('3 USDT → 4 USDT')).toBeVisible()
  expect(await price.findByLabelText('Price of one node (USDT)')).toHaveValue(3)
  expect((await card('Daily reward')).queryByText(/not done yet/)).not.toBeInTheDocument()
  const administrators = await card('Administrators')
  expect(administrators.getByText('Proposed by you, not done yet')).toBeVisible()
  expect(administrators.getByText('Invite an administrator · fay@example.com')).toBeVisible()
  await person.click(price.getByRole('link', { name: 'See the proposal' }))
  expect(await screen.findByRole('list', { name: 'Proposals' })).toBeVisible()
})
