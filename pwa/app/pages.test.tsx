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
    return (
      <main aria-label="About">
        <input aria-label={t('Email')} />
      </main>
    )
  },
}))
vi.mock('#pwa/features/freeze/FreezePage.tsx', () => ({
  FreezePage: () => (
    <main>
      <Link to="/about">About</Link>
    </main>
  ),
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

test('the focus of a link that goes with its page moves to the content of the next page, and to no first page', async () => {
  const page = (
    <>
      <Link to="/freeze">Freeze</Link>
      <CurrentPage />
    </>
  )
  const { person } = renderPage(page, { at: '/freeze' })
  const inside = await screen.findByRole('link', { name: 'About' })
  expect(document.body).toHaveFocus()
  await person.click(inside)
  expect(await screen.findByRole('main', { name: 'About' })).toHaveFocus()

  const outside = screen.getByRole('link', { name: 'Freeze' })
  await person.click(outside)
  await screen.findByRole('link', { name: 'About' })
  expect(outside, 'a link that stays').toHaveFocus()
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
