import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { TopBar } from './TopBar.tsx'

const api = useFakeApi()

test("the back office's top bar shows only its link and the administrator's name", async () => {
  answerCommonCalls(api, { user: someUser() })
  answerBackOffice(api)
  renderPage(<TopBar />, { at: '/admin-panel' })

  expect(await screen.findByText('keeper')).toBeVisible()
  const links = within(screen.getByRole('banner')).getAllByRole('link')
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/admin-panel'])
  expect(screen.queryByRole('button', { name: /wallet|account|sales/i })).not.toBeInTheDocument()
})

test('before the login it shows no name', async () => {
  answerCommonCalls(api)
  answerBackOffice(api, { isLoggedIn: false })
  renderPage(<TopBar />, { at: '/admin1' })

  expect(await screen.findByRole('link', { name: 'Admin' })).toBeVisible()
  expect(screen.queryByText(/Logged in as/)).not.toBeInTheDocument()
})
