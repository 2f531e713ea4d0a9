import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { getPerson } from '#shared/contract/admin/person.ts'
import { listAdminPasskeys } from '#shared/contract/admin/passkeys.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { cancelAuthenticatorReset, resetUserAuthenticator } from '#shared/contract/admin/users.ts'
import { answerBackOffice, answerPerson, somePerson } from '#pwa/testing/adminAnswers.ts'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'

const api = useFakeApi()

test('a lost authenticator is removed from the page with a reason and a password, and kept again', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  answerPerson(api, somePerson())
  api.answer(listAdminPasskeys, () => ({ passkeys: [], factors: [] }))
  const resetsAt = new Date('2026-11-23T08:00:00Z')
  const withRemoval = (at: Date | null) => {
    const person = somePerson()
    api.answer(getPerson, () => ({ ...person, authenticator: { ...person.authenticator, resetsAt: at } }))
  }
  const asked: unknown[] = []
  const isSaved = Promise.withResolvers<void>()
  api.answer(resetUserAuthenticator, async ({ body }) => {
    asked.push(body)
    await isSaved.promise
    withRemoval(resetsAt)
    return { message: 'The authenticator will be removed in 24 hours. The user is notified.', resetsAt }
  })
  const { person } = renderPage(<AdminArea />, { at: `/admin-panel/users/${somePerson().id}` })
  await person.click(await screen.findByRole('button', { name: 'Remove authenticator' }))
  const dialog = within(await screen.findByRole('dialog'))
  await person.type(await dialog.findByLabelText('Your password'), 'Passw0rd!')
  expect(dialog.getByText(/You are the only owner, so it is removed in 24 hours/)).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Remove in 24 hours' })).toBeDisabled()
  await person.type(dialog.getByLabelText('Reason'), 'Lost phone')
  await person.click(dialog.getByRole('button', { name: 'Remove in 24 hours' }))
  expect(await dialog.findByRole('button', { name: 'Saving...' })).toBeDisabled()
  await person.keyboard('{Escape}')
  expect(screen.getByRole('dialog')).toBeVisible()
  expect(dialog.queryByRole('button', { name: 'Close' })).not.toBeInTheDocument()
  isSaved.resolve()
  expect(await screen.findByText('The authenticator is removed on 23 Nov 2026, 08:00 UTC')).toBeVisible()
  expect(asked).toEqual([{ password: 'Passw0rd!', reason: 'Lost phone' }])

  api.answer(cancelAuthenticatorReset, () => {
    withRemoval(null)
    return { message: 'The authenticator stays.' }
  })
  await person.click(screen.getByRole('button', { name: 'Keep authenticator' }))
  const question = within(await screen.findByRole('dialog', { name: 'Keep the authenticator?' }))
  expect(question.getByText('mara@example.com')).toBeVisible()
  await person.click(question.getByRole('button', { name: 'Keep authenticator' }))
  expect(await screen.findByRole('button', { name: 'Remove authenticator' })).toBeVisible()
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test.each([
  ['one of two owners', { role: 'owner', owners: 2 }],
  ['support, also beside one owner', { role: 'support', owners: 1 }],
] as const)('%s proposes the removal, which another owner has to approve', async (_who, { role, owners }) => {
  answerCommonCalls(api)
  answerBackOffice(api, { role })
  answerPerson(api, somePerson())
  const paging = { totalCount: 0, currentPage: 1, totalPages: 1, hasNextPage: false, hasPrevPage: false }
  api.answer(listProposals, () => ({ proposals: [], owners, ...paging }))
  const { person } = renderPage(<AdminArea />, { at: `/admin-panel/users/${somePerson().id}` })
  await person.click(await screen.findByRole('button', { name: 'Remove authenticator' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText(/An owner other than you has to approve this within 24 hours/)).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Propose removal' })).toBeVisible()
})
