import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { findAnything, type Found } from '#shared/contract/admin/find.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'

const api = useFakeApi()
const userId = '01936b2a-7c00-7000-8000-000000000001'

const someFound = (changes: Partial<Found> = {}): Found => ({
  kind: 'user',
  id: userId,
  matched: 'email',
  userId,
  userEmail: 'mara@example.com',
  status: null,
  amount: null,
  at: new Date('2026-11-20T07:31:00Z'),
  ...changes,
})

/** Opens the panel and returns the texts that are searched for. */
function open(results: Found[], { isCut = false } = {}) {
  answerCommonCalls(api)
  answerBackOffice(api)
  const asked: string[] = []
  api.answer(findAnything, ({ query }) => {
    asked.push(query.text)
    return { results, isCut }
  })
  return { ...renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' }), asked }
}

const field = () => screen.findByRole('textbox', { name: 'Find anything' })
const results = async () => within(await screen.findByRole('list', { name: 'Found' })).getAllByRole('link')

test('results say what they are, whose, and why, and link to the page of their account, or to the list that shows them', async () => {
  const id = '1a2b3c4d-7c00-7000-8000-000000000009'
  const { person, asked, location } = open([
    someFound(),
    someFound({ kind: 'node', id: '1042', matched: 'number' }),
    someFound({ kind: 'withdrawal', id, matched: 'hash', status: 'completed' }),
    someFound({ kind: 'deposit', id, matched: 'sender', status: 'review', userId: null, userEmail: null }),
  ])
  await person.type(await field(), ' mara {Enter}')

  expect((await results()).map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Usermara@example.comby email20 Nov 2026, 07:31 UTC', `/admin-panel/users/${userId}`],
    ['Node 1042mara@example.comby number20 Nov 2026, 07:31 UTC', `/admin-panel/users/${userId}?part=purchases`],
    ['Withdrawal 1a2b3c4dmara@example.comby its transaction20 Nov 2026, 07:31 UTC', `/admin-panel/users/${userId}?part=xcr`],
    ['Payment …00000009unknown userby its sender20 Nov 2026, 07:31 UTC', '/admin-panel?tab=purchases&status=waiting'],
  ])
  expect(asked).toEqual(['mara'])
  await person.click((await results())[0]!)
  expect(location()).toBe(`/admin-panel/users/${userId}`)
})

test('the slash key focuses the search, and Escape closes its results', async () => {
  const { person } = open([someFound()], { isCut: true })
  const input = await field()
  await person.keyboard('/')
  expect(input).toHaveFocus()
  await person.keyboard('mara{Enter}')
  await results()
  expect(screen.getByText('There are more. Type more of it.')).toBeVisible()

  await person.keyboard('{Escape}')
  expect(screen.queryByRole('list', { name: 'Found' })).not.toBeInTheDocument()
  expect(input).toHaveValue('')
})

test('a text without results is shown as it was typed, markup included', async () => {
  const { person } = open([])
  await person.type(await field(), '<img src=x>{Enter}')
  expect(await screen.findByText('Nothing found for “<img src=x>”.')).toBeVisible()
  expect(document.querySelector('img[src="x"]')).toBeNull()
})

test.each([
  ['0xfa43', true],
  ['0xfa43...0e18', true],
  ['ab'.repeat(32), true],
  [`0x${'ab'.repeat(32)}`, false],
  [`0x${'ab'.repeat(20)}`, false],
  ['mara', false],
])('without results for %s it says that a transaction is found by all of it: %s', async (text, isSaid) => {
  const { person } = open([])
  await person.type(await field(), `${text}{Enter}`)
  const found = await screen.findByText(new RegExp(`^Nothing found for “${text.replaceAll('.', String.raw`\.`)}”`))
  expect(/A transaction is found by all of it, 0x and 64 characters/.test(found.textContent!)).toBe(isSaid)
})

test('a refused search says why, and the same text can be tried again', async () => {
  const { person } = open([someFound()])
  api.answer(findAnything, () => {
    throw refusal(429, 'rate_limited', 'Too many attempts.')
  })
  await person.type(await field(), 'mara{Enter}')
  expect(await screen.findByText('Too many attempts.')).toBeVisible()

  api.answer(findAnything, () => ({ results: [someFound()], isCut: false }))
  await person.click(screen.getByRole('button', { name: 'Find' }))
  expect(await results()).toHaveLength(1)
})
