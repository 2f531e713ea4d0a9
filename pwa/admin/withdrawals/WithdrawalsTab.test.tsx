import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { HOUR } from '#shared/dates.ts'
import { getAdminStats, getPayoutCaps } from '#shared/contract/admin/office.ts'
import {
  type AdminWithdrawal,
  approveWithdrawal,
  listAdminWithdrawals,
  markWithdrawalPaid,
  rejectWithdrawal,
} from '#shared/contract/admin/withdrawals.ts'
import { answerAdminWithdrawals, answerBackOffice, someAdminStats, someAdminWithdrawal } from '#pwa/testing/adminAnswers.ts'
import { amountOf, answerCommonCalls } from '#pwa/testing/answers.ts'
import { proxyAnswer, refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'

const api = useFakeApi()
const hash = `0x${'ab'.repeat(32)}` as const
const button = (name: string | RegExp) => screen.getByRole('button', { name })
const idOf = (number: number) => `01936b2a-7c00-7000-8000-0000003${String(number).padStart(5, '0')}`

const days = Array.from({ length: 30 }, (_, at) => ({
  date: new Date(Date.UTC(2026, 10, 30 - at)).toISOString().slice(0, 10),
  totalAmount: amountOf(String(3000 + at)),
  totalCount: at + 1,
}))

type Stats = Parameters<typeof answerAdminWithdrawals>[2]

/** Renders the tab and returns the requests it makes. */
function open(
  withdrawals: readonly AdminWithdrawal[],
  { stats, at = '/admin-panel?tab=withdrawals' }: { stats?: Stats; at?: string } = {},
) {
  answerCommonCalls(api)
  answerBackOffice(api)
  const asked = answerAdminWithdrawals(api, withdrawals, stats)
  return { ...renderPage(<AdminArea />, { at }), asked }
}

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => someAdminWithdrawal({ id: idOf(at), userEmail: `user${at}@example.com` }))

const rows = async () =>
  within(await screen.findByRole('table', { name: 'Withdrawals' }))
    .getAllByRole('row')
    .slice(1)
const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent)
const emails = async () => (await rows()).map((row) => within(row).getByText(/@/).textContent)

test('a row shows user, time and amount, in Korean and English, in Seoul time', async () => {
  open([
    someAdminWithdrawal({ id: idOf(1), status: 'completed', transactionHash: hash }),
    someAdminWithdrawal({ id: idOf(2), amount: amountOf('3200.123456789') }),
  ])
  expect(await screen.findByText('Loading withdrawals')).toBeInTheDocument()
  const [paid, pending] = await rows()
  expect(screen.getByRole('tab', { name: 'Reward-token withdrawals' })).toHaveAttribute('aria-selected', 'true')
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    '사용자 이메일 User email',
    '수량 (XCR) Amount',
    '지갑 주소 Wallet',
    '상태 Status',
    '요청 일시 (서울) Requested (Seoul)',
    '트랜잭션 Tx',
    '처리 Actions',
  ])
  expect(cells(paid!)).toEqual([
    `mara@example.com${idOf(1).slice(0, 8)}`,
    '3,000',
    '0x8f3a...2b3c',
    '완료 Completed',
    '2026. 11. 22. 오후 9:00:00',
    '0xababab',
    '',
  ])
  expect(within(paid!).getByRole('link', { name: 'mara@example.com' })).toHaveAttribute(
    'href',
    `/admin-panel/users/${someAdminWithdrawal().userId}`,
  )
  await waitFor(() =>
    expect(within(paid!).getByRole('link', { name: /^0x/ })).toHaveAttribute('href', `https://explorer.example.com/tx/${hash}`),
  )
  expect(within(paid!).getByRole('link', { name: /^0x/ })).toHaveAttribute('target', '_blank')
  expect(cells(pending!).slice(1, 6)).toEqual(['3,200.12', '0x8f3a...2b3c', '대기중 Pending', '2026. 11. 22. 오후 9:00:00', '–'])
})

test.each([
  ['completed', '완료 Completed', null],
  ['pending', '대기중 Pending', null],
  ['processing', '처리중 Processing', null],
  ['manual_review', '검토중 In review', null],
  ['failed', '실패 Failed', 'failed'],
] as const)('%s is shown as %s', async (status, word, raw) => {
  const { person } = open([someAdminWithdrawal({ status })])
  const [row] = await rows()
  const cell = within(row!).getAllByRole('cell')[3]!
  expect(cell).toHaveTextContent(word)
  const explained = cell.querySelector<HTMLElement>('[tabindex="0"]')
  if (!raw) return expect(explained).toBeNull()

  await person.hover(explained!)
  expect(await screen.findByRole('tooltip')).toHaveTextContent(raw)
})

test('a withdrawal in review shows the reason', async () => {
  open([someAdminWithdrawal({ status: 'manual_review', reviewReason: 'above_limit', adminNotes: 'Asked by mail.' })])
  const [row] = await rows()
  expect(cells(row!)[3]).toBe('검토중 In reviewWaiting for review: above the limitAsked by mail.')
  expect(within(row!).getByText('검토중').closest('.text-amber')).toBeVisible()
})

test('a long note is shown in two lines until it is pressed', async () => {
  const { person } = open([someAdminWithdrawal({ adminNotes: 'The transfer was compared with the chain. '.repeat(40) })])
  const note = await screen.findByRole('button', { name: /^The transfer was compared/ })
  expect(note).toHaveAttribute('aria-expanded', 'false')
  await person.click(note)
  expect(note).toHaveAttribute('aria-expanded', 'true')
})

test('the address narrows the list to what waits, a choice of a status changes it, and both stay while searching', async () => {
  const { person, asked, location } = open(many(1), { at: '/admin-panel?tab=withdrawals&status=waiting' })
  expect(await screen.findByRole('combobox', { name: 'Status' })).toHaveDisplayValue('결정 대기 Only waiting')
  expect(await emails()).toHaveLength(1)

  await person.selectOptions(screen.getByRole('combobox', { name: 'Status' }), '보류중 On hold')
  await person.type(screen.getByLabelText('Search by email'), 'nobody{Enter}')
  expect(await screen.findByText('No withdrawals found for “nobody”.')).toBeVisible()
  expect(location()).toBe('/admin-panel?tab=withdrawals&status=held&email=nobody')
  await person.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'All statuses')
  await waitFor(() => expect(asked.at(-1)).not.toHaveProperty('status'))
  expect(asked.map((query) => query.status)).toEqual(['waiting', 'held', 'held', undefined])
})

test('an unknown status in the address shows the whole list, and an empty filter says what it shows', async () => {
  const { person, asked } = open([], { at: '/admin-panel?tab=withdrawals&status=<b>' })
  expect(await screen.findByText('No withdrawals yet.')).toBeVisible()
  expect(asked.at(-1)).not.toHaveProperty('status')
  await person.selectOptions(screen.getByRole('combobox', { name: 'Status' }), '결정 대기 Only waiting')
  expect(await screen.findByText('No withdrawal waits for a decision.')).toBeVisible()
})

test('six of thirty days are shown, with the total beside them', async () => {
  const { person } = open([], {
    stats: { dailyStats: days, totalStats: { totalAmount: amountOf('98765.4321'), totalCount: 465 } },
  })
  const statistics = await screen.findByRole('tablist', { name: 'Withdrawal statistics' })
  const panel = () => statistics.closest('section')!
  await waitFor(() =>
    expect(
      within(panel())
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual([
      '2026-11-30 UTC3,000 XCR1건 withdrawals',
      '2026-11-29 UTC3,001 XCR2건 withdrawals',
      '2026-11-28 UTC3,002 XCR3건 withdrawals',
      '2026-11-27 UTC3,003 XCR4건 withdrawals',
      '2026-11-26 UTC3,004 XCR5건 withdrawals',
      '2026-11-25 UTC3,005 XCR6건 withdrawals',
    ]),
  )
  await person.click(within(statistics).getByRole('tab', { name: '누적 Total' }))
  expect(panel()).toHaveTextContent(/누적 출금액 Cumulative amount, all users98,765.43 XCR누적 건수 Cumulative count465 건/)
})

test('thirty days without withdrawals say so', async () => {
  open([])
  expect(await screen.findByText('No withdrawals in the last 30 days.')).toBeVisible()
})

test('withdrawals and statistics that fail to load can be retried', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(listAdminWithdrawals, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel?tab=withdrawals' })
  expect(await screen.findByText('Failed to fetch withdrawals')).toBeVisible()
  expect(screen.getByText('Statistics are not available.')).toBeVisible()
  await person.click(screen.getByRole('tab', { name: '누적 Total' }))
  expect(screen.getByText('Statistics are not available.')).toBeVisible()

  answerAdminWithdrawals(api, many(2))
  await person.click(button('Try again'))
  expect(await rows()).toHaveLength(2)
})

test('the list says how all payouts are stopped, and when they are', async () => {
  open([])
  const place = '/admin-panel?tab=settings#payout-caps'
  expect(await screen.findByText(/With a cap of 0 XCR an owner stops all payouts at once/)).toBeVisible()
  expect(screen.getByRole('link', { name: 'Caps of payouts' })).toHaveAttribute('href', place)
  expect(screen.queryByText('Payouts are stopped')).not.toBeInTheDocument()

  const stopped = { environment: amountOf('5000'), panel: 0n, signed: 0n }
  api.answer(getPayoutCaps, () => ({ hour: stopped, day: { environment: null, panel: null, signed: 0n } }))
  renderPage(<AdminArea />, { at: '/admin-panel?tab=withdrawals' })
  expect(await screen.findByText('Payouts are stopped')).toBeVisible()
})

test('a search starts at page 1, can be cleared, and applies to the download', async () => {
  const { person, asked } = open(many(45), { at: '/admin-panel?tab=withdrawals&page=3' })
  expect(await rows()).toHaveLength(5)
  const download = () => screen.getByRole('link', { name: '전체 다운로드 Download all' })
  expect(download()).toHaveAttribute('href', '/api/admin/withdrawals/export')
  expect(download()).toHaveAttribute('target', '_blank')
  expect(button('Search')).toBeDisabled()

  await person.type(screen.getByLabelText('Search by email'), 'user4')
  await person.click(button('Search'))
  await expect.poll(emails).toHaveLength(6)
  expect(asked.at(-1)).toEqual({ email: 'user4', limit: 20, offset: 0 })
  expect(download()).toHaveAttribute('href', '/api/admin/withdrawals/export?email=user4')

  await person.click(button('Clear'))
  await expect.poll(emails).toHaveLength(20)
  expect(asked.at(-1)).toEqual({ limit: 20, offset: 0 })
})

test('twenty rows fit on one page without paging', async () => {
  open(many(20))
  expect(await rows()).toHaveLength(20)
  expect(screen.queryByRole('button', { name: 'Next' })).not.toBeInTheDocument()
})

test('more than twenty rows have paging with their count', async () => {
  const { person, asked } = open(many(45))
  await rows()
  expect(screen.getByText('Total 45 withdrawals · Page 1 of 3')).toBeVisible()
  expect(button('Previous')).toBeDisabled()
  await person.click(button('Next'))
  expect(await screen.findByText('Total 45 withdrawals · Page 2 of 3')).toBeVisible()
  await expect.poll(() => asked.at(-1)).toEqual({ limit: 20, offset: 20 })
  await person.click(button('Previous'))
  expect(await screen.findByText('Total 45 withdrawals · Page 1 of 3')).toBeVisible()
})

test('no withdrawals, and no matches, each have their text', async () => {
  const { person } = open([])
  expect(await screen.findByText('No withdrawals yet.')).toBeVisible()
  expect(screen.getByText('출금 내역이 없습니다.')).toBeVisible()
  await person.type(screen.getByLabelText('Search by email'), 'nobody{Enter}')
  expect(await screen.findByText('No withdrawals found for “nobody”.')).toBeVisible()
  expect(screen.getByText('검색 결과가 없습니다.')).toBeVisible()
})

const waiting = (changes: Partial<AdminWithdrawal> = {}) =>
  someAdminWithdrawal({ status: 'manual_review', reviewReason: 'above_limit', ...changes })

/** The decisions offered on the only row. */
const choices = async () =>
  within((await rows())[0]!)
    .queryAllByRole('button')
    .map(({ textContent }) => textContent)
    .filter((text) => text !== idOf(1).slice(0, 8))

test.each([
  ['what waits for a person', waiting(), ['Approve', 'Reject', 'Mark paid']],
  ['what waits with a signed transaction', waiting({ hasAttempts: true }), ['Approve', 'Reject']],
  ['what is pending', someAdminWithdrawal(), ['Mark paid']],
  ['what is on its way', someAdminWithdrawal({ status: 'processing', hasAttempts: true }), []],
  ['what is paid', someAdminWithdrawal({ status: 'completed', hasAttempts: true }), []],
  ['what has failed', someAdminWithdrawal({ status: 'failed' }), []],
] as const)('%s can be decided on accordingly', async (_, withdrawal, expected) => {
  open([withdrawal])
  expect(await choices()).toEqual(expected)
})

test('approving a withdrawal on hold needs a reason, and its row shows until when', async () => {
  const heldUntil = new Date(Date.now() + HOUR)
  const { person } = open([waiting({ reviewReason: 'recent_change', heldUntil })])
  const sent: (string | undefined)[] = []
  api.answer(approveWithdrawal, ({ body }) => {
    sent.push(body.notes)
    return { message: 'The withdrawal is approved.', withdrawal: someAdminWithdrawal() }
  })
  expect(cells((await rows())[0]!)[3]).toMatch(/^보류중 On holdUntil .* UTCReleased automatically$/)
  await person.click(within((await rows())[0]!).getByRole('button', { name: /^Approve/ }))
  const dialog = await screen.findByRole('dialog')
  await person.click(within(dialog).getByRole('button', { name: 'Approve withdrawal' }))
  expect(within(dialog).getByText('Please enter a reason.')).toBeVisible()
  expect(sent).toEqual([])
  await person.type(within(dialog).getByLabelText('Reason'), 'Confirmed by phone.')
  await person.click(within(dialog).getByRole('button', { name: 'Approve withdrawal' }))
  await expect.poll(() => sent).toEqual(['Confirmed by phone.'])
})

test('approving above the limit names the withdrawal, takes a reason, and shows the new state and figures', async () => {
  const { person } = open([waiting()])
  const sent: { notes?: string | undefined; key: string | null }[] = []
  let figuresRead = 0
  api.answer(getAdminStats, () => {
    figuresRead += 1
    return someAdminStats()
  })
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  api.answer(approveWithdrawal, async ({ body }, request) => {
    sent.push({ ...body, key: request.headers.get('idempotency-key') })
    await held
    answerAdminWithdrawals(api, [someAdminWithdrawal({ adminNotes: 'Known.' })])
    return { message: 'The withdrawal is approved.', withdrawal: someAdminWithdrawal() }
  })
  await rows()
  await person.click(button('Approve the withdrawal of mara@example.com'))
  const dialog = screen.getByRole('dialog', { name: 'Approve 3,000 XCR of mara@example.com?' })
  expect(dialog).toHaveTextContent(/Amount3,000 XCRWallet receives2,995 XCRWallet0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c/)
  await person.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  expect(sent).toEqual([])

  await person.click(button('Approve the withdrawal of mara@example.com'))
  await person.click(button('Approve withdrawal'))
  expect(screen.getByLabelText('Reason')).toHaveFocus()
  await person.type(screen.getByLabelText('Reason'), ' Known. ')
  await person.click(button('Approve withdrawal'))
  expect(await screen.findByRole('button', { name: 'Approving...' })).toBeDisabled()
  await person.keyboard('{Escape}')
  expect(screen.getByRole('dialog')).toBeVisible()

  const before = figuresRead
  answer()
  expect(await screen.findByText('Withdrawal Approved')).toBeVisible()
  expect(sent).toEqual([{ notes: 'Known.', key: expect.stringMatching(/.{8,}/) }])
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  await expect.poll(async () => cells((await rows())[0]!)[3]).toBe('대기중 PendingKnown.')
  expect(figuresRead).toBeGreaterThan(before)
})

test('a rejection requires a reason; a retry has the same idempotency key', async () => {
  const { person } = open([waiting()])
  const sent: { reason: string; key: string | null }[] = []
  api.answer(rejectWithdrawal, ({ body }, request) => {
    sent.push({ ...body, key: request.headers.get('idempotency-key') })
    if (sent.length < 3) throw refusal(500, 'internal', 'Something broke.')
    return { message: 'The withdrawal is rejected and refunded.', withdrawal: someAdminWithdrawal({ status: 'failed' }) }
  })
  await rows()
  await person.click(button('Reject the withdrawal of mara@example.com'))
  await person.click(button('Reject withdrawal'))
  expect(screen.getByText('Please enter a reason.')).toBeVisible()
  expect(screen.getByLabelText('Reason')).toHaveFocus()
  expect(sent).toEqual([])

  await person.type(screen.getByLabelText('Reason'), 'Unknown wallet')
  await person.click(button('Reject withdrawal'))
  expect(await screen.findByText('Failed to reject withdrawal')).toBeVisible()
  expect(screen.getByText('Something broke.')).toBeVisible()
  await person.click(button('Reject withdrawal'))
  await expect.poll(() => sent).toHaveLength(2)
  await person.type(await screen.findByLabelText('Reason'), '.')
  await person.click(await screen.findByRole('button', { name: 'Reject withdrawal' }))
  expect(await screen.findByText('Withdrawal Rejected')).toBeVisible()
  expect(screen.getByText('The withdrawal is rejected and refunded.')).toBeVisible()

  expect(sent.map(({ reason }) => reason)).toEqual(['Unknown wallet', 'Unknown wallet', 'Unknown wallet.'])
  expect(sent[1]!.key).toBe(sent[0]!.key)
  expect(sent[2]!.key).not.toBe(sent[0]!.key)
})

test('marking as paid requires a valid hash, and shows why a transfer does not match', async () => {
  const { person } = open([waiting()])
  const sent: unknown[] = []
  api.answer(markWithdrawalPaid, ({ body }) => {
    sent.push(body)
    if (sent.length === 1) throw refusal(409, 'transaction_foreign', 'The transfer went to another wallet.')
    return { message: 'The withdrawal is marked as paid.', withdrawal: someAdminWithdrawal({ status: 'completed' }) }
  })
  await rows()
  await person.click(button('Mark paid: withdrawal of mara@example.com'))
  await person.click(button('Mark as paid'))
  expect(screen.getByText('please enter the transaction hash')).toBeVisible()
  await person.type(screen.getByLabelText('Transaction hash'), '0x1234')
  await person.click(button('Mark as paid'))
  expect(screen.getByText('not a valid transaction hash format, 0x + 64 characters')).toBeVisible()
  expect(sent).toEqual([])

  await person.clear(screen.getByLabelText('Transaction hash'))
  await person.type(
    screen.getByLabelText('Transaction hash'),
    ` https://explorer.example.com/tx/${hash.toUpperCase().replace('0X', '0x')} `,
  )
  await person.click(button('Mark as paid'))
  expect(screen.getByText('Please enter a reason.')).toBeVisible()
  await person.type(screen.getByLabelText('Reason'), 'Paid by hand')
  await person.click(button('Mark as paid'))
  expect(await screen.findByText('Failed to mark withdrawal as paid')).toBeVisible()
  expect(screen.getByText('The transfer went to another wallet.')).toBeVisible()
  await person.click(button('Mark as paid'))
  expect(await screen.findByText('Withdrawal Marked as Paid')).toBeVisible()
  const body = { transactionHash: hash, reason: 'Paid by hand' }
  expect(sent).toEqual([body, body])
})

test.each([
  ['Approve', 'Approve the withdrawal of', 'Approve withdrawal', approveWithdrawal],
  ['Reject', 'Reject the withdrawal of', 'Reject withdrawal', rejectWithdrawal],
  ['Mark paid', 'Mark paid: withdrawal of', 'Mark as paid', markWithdrawalPaid],
] as const)(
  'the second of two administrators who press %s is told that the first has decided',
  async (choice, opens, deed, endpoint) => {
    const { person } = open([waiting()])
    await rows()
    await person.click(button(`${opens} mara@example.com`))
    await person.type(screen.getByLabelText('Reason'), 'Unknown wallet')
    if (choice === 'Mark paid') await person.type(screen.getByLabelText('Transaction hash'), hash)

    answerAdminWithdrawals(api, [someAdminWithdrawal({ status: 'completed' })])
    api.answer(endpoint, () => {
      throw refusal(409, 'withdrawal_closed', 'This withdrawal is completed and can no longer be changed.', {
        status: 'completed',
      })
    })
    await person.click(button(deed))
    expect(await screen.findByText('Already decided')).toBeVisible()
    expect(
      screen.getByText(
        'Another administrator already decided. This withdrawal is completed and can no longer be changed. The lists have been updated.',
      ),
    ).toBeVisible()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    await expect.poll(async () => cells((await rows())[0]!)[3]).toBe('완료 Completed')
    expect(await choices()).toEqual([])
  },
)

test('a decision whose answer was lost is not called failed', async () => {
  const { person } = open([waiting({ hasAttempts: true, reviewReason: 'foreign_contract' })])
  api.answer(approveWithdrawal, () => {
    throw proxyAnswer(504)
  })
  await rows()
  await person.click(button('Approve the withdrawal of mara@example.com'))
  await person.click(button('Approve withdrawal'))
  expect((await screen.findByText('Outcome Unknown')).parentElement).toHaveTextContent('It may have been done.')
  expect(screen.queryByText('Failed to approve withdrawal')).not.toBeInTheDocument()
})

test('a refused decision on a row still in review is not reported as decided', async () => {
  const { person } = open([waiting({ hasAttempts: true, reviewReason: 'foreign_contract' })])
  api.answer(approveWithdrawal, () => {
    throw refusal(409, 'withdrawal_closed', 'Its nonce was used by another one. It can only be rejected.', {
      status: 'manual_review',
    })
  })
  await rows()
  await person.click(button('Approve the withdrawal of mara@example.com'))
  await person.click(button('Approve withdrawal'))
  expect(await screen.findByText('Failed to approve withdrawal')).toBeVisible()
  expect(screen.getByText('Its nonce was used by another one. It can only be rejected.')).toBeVisible()
  expect(screen.queryByText('Already decided')).not.toBeInTheDocument()
  expect(screen.getByRole('dialog')).toBeVisible()
})

const soon = new Date(Date.now() + HOUR)

test.each([
  [
    'of a frozen account',
    { account: { frozenAt: new Date('2026-11-20T07:31:00Z'), thawsAt: null, heldUntil: soon } },
    /^The account is frozen since 20 Nov/,
  ],
  ['on hold', { heldUntil: soon }, /^On hold until /],
  [
    'of an account that has changed since',
    { account: { frozenAt: null, thawsAt: null, heldUntil: soon } },
    /^New withdrawals of the account are on hold/,
  ],
] as const)('the dialog of a withdrawal %s says so', async (_what, changes, title) => {
  const { person } = open([waiting(changes)])
  await rows()
  await person.click(button('Approve the withdrawal of mara@example.com'))
  expect(within(screen.getByRole('dialog')).getByText(title)).toBeVisible()
})
