import { act, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { InstallCard } from './InstallCard.tsx'
import { followInstallability } from './installation.ts'

const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1'

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
})

function openIn(userAgent: string) {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(userAgent)
  followInstallability()
  render(<InstallCard />)
}

/** Chromium's install event. */
function offer(outcome: 'accepted' | 'dismissed') {
  const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
    prompt: vi.fn(async () => ({ outcome })),
  })
  act(() => void window.dispatchEvent(event))
  return event
}

test("the card offers to install, and a press opens Chromium's prompt", async () => {
  openIn('Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/153.0 Mobile Safari/537.36')
  expect(screen.queryByRole('complementary')).not.toBeInTheDocument()

  const event = offer('accepted')
  expect(event.defaultPrevented).toBe(true)
  await userEvent.click(screen.getByRole('button', { name: 'Install' }))
  expect(event.prompt).toHaveBeenCalledOnce()
  expect(screen.queryByRole('complementary')).not.toBeInTheDocument()
})

test('after a refusal the card stays away', async () => {
  openIn('Mozilla/5.0 (Windows NT 10.0) Chrome/153.0')
  offer('dismissed')
  await userEvent.click(screen.getByRole('button', { name: 'Install' }))
  offer('dismissed')
  expect(screen.queryByRole('complementary')).not.toBeInTheDocument()
  expect(localStorage.getItem('install_dismissed')).toBe('yes')
})

test('on an iPhone it shows what to tap, and stays away once dismissed', async () => {
  openIn(iPhone)
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('Share'),
    expect.stringContaining('Add to Home Screen'),
    expect.stringContaining('Add'),
  ])
  await userEvent.click(screen.getByRole('button', { name: "Don't show this again" }))
  expect(screen.queryByRole('complementary')).not.toBeInTheDocument()
  expect(localStorage.getItem('install_dismissed')).toBe('yes')
})

test.each([
  ['an iPhone', `${iPhone} MetaMaskMobile`, 'Safari'],
  ['Android', 'Mozilla/5.0 (Linux; Android 16) Chrome/153.0 Mobile imToken/2.18', 'Chrome'],
])('in a wallet’s browser on %s it names the browser to open, with the address to copy', (_, userAgent, browser) => {
  openIn(userAgent)
  expect(screen.getByRole('heading', { name: `Keep your nodes handy in ${browser}` })).toBeVisible()
  expect(screen.getByText(location.origin)).toBeVisible()
  expect(screen.getByRole('button', { name: 'Copy page address' })).toBeVisible()
})

test('the installed app shows no card', () => {
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query === '(display-mode: standalone)' }))
  openIn(iPhone)
  expect(screen.queryByRole('complementary')).not.toBeInTheDocument()
})
