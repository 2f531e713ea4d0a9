import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { setupStatus } from '#shared/contract/setup.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { SetupGate } from './SetupGate.tsx'

const api = useFakeApi()
const page = (
  <SetupGate>
    <p>The page</p>
  </SetupGate>
)

test('a fresh installation redirects to its setup', async () => {
  api.answer(setupStatus, () => ({ setupRequired: true }))
  const { location } = renderPage(page, { at: '/purchase' })

  expect(screen.getByText('Loading')).toBeVisible()
  await expect.poll(location).toBe('/setup')
})

test('a configured installation shows its pages', async () => {
  api.answer(setupStatus, () => ({ setupRequired: false }))
  renderPage(page)

  expect(await screen.findByText('The page')).toBeVisible()
})

test('if the status request fails the page is shown, and the failure is logged', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  api.answer(setupStatus, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  renderPage(page)

  expect(await screen.findByText('The page')).toBeVisible()
  expect(log).toHaveBeenCalledOnce()
})

test('/setup does not request the status', () => {
  renderPage(page, { at: '/setup' })

  expect(screen.getByText('The page')).toBeVisible()
})
