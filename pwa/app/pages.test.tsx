import { act, screen } from '@testing-library/react'
import { Link } from 'react-router-dom'
import { expect, test, vi } from 'vitest'
import { InLanguage } from '#pwa/i18n/InLanguage.tsx'
import { chooseLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { useConnection } from '#pwa/lib/connection.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { CurrentPage } from './pages.tsx'

const renders = vi.hoisted(() => ({ count: 0 }))

vi.mock('#pwa/features/about/AboutPage.tsx', () => ({
  AboutPage: () => {
    renders.count++
    return <input aria-label={t('Email')} />
  },
}))
const server = vi.hoisted(() => ({ isReachable: true }))
vi.mock('#pwa/features/inbox/InboxPage.tsx', () => ({
  get InboxPage() {
    if (!server.isReachable) throw new TypeError('Failed to fetch dynamically imported module')
    return () => <h1>Inbox</h1>
  },
}))
// It never loads, so that the page before it stays.
vi.mock('#pwa/features/status/StatusPage.tsx', () => new Promise(() => {}))

test('a page that is being left does not render again; in another language it does, and keeps what was typed', async () => {
  const page = (
    <InLanguage
      render={() => (
        <>
          <Link to="/status">Leave</Link>
          <CurrentPage />
        </>
      )}
    />
  )
  const { person, location } = renderPage(page, { at: '/about' })
  await person.type(await screen.findByLabelText('Email'), 'mara@example.com')
  const before = renders.count
  expect(before).toBeGreaterThan(0)

  await act(async () => void (await chooseLanguage('ko')))
  expect(screen.getByLabelText('이메일')).toHaveValue('mara@example.com')
  const inKorean = renders.count
  expect(inKorean).toBeGreaterThan(before)

  await person.click(screen.getByRole('link', { name: 'Leave' }))
  expect(location()).toBe('/status')
  expect(screen.getByLabelText('이메일')).toBeVisible()
  expect(renders.count).toBe(inKorean)
})

test('a page that could not be loaded without a connection is loaded after it is back', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  server.isReachable = false
  renderPage(<CurrentPage />, { at: '/inbox' })
  expect(await screen.findByRole('heading', { name: 'This page could not be shown' })).toBeVisible()

  act(() => useConnection.setState({ isOffline: true }))
  expect(await screen.findByRole('heading', { name: 'No connection' })).toBeVisible()

  server.isReachable = true
  act(() => useConnection.setState({ isOffline: false }))
  expect(await screen.findByRole('heading', { name: 'Inbox' })).toBeVisible()
})
