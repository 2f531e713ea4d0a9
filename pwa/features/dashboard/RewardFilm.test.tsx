import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { RewardFilm } from './RewardFilm.tsx'

let observers: ((isIntersecting: boolean) => void)[] = []
const play = vi.fn<() => Promise<void>>()
const pause = vi.fn<() => void>()
const film = () => document.querySelector('video')
const scroll = (isIntersecting: boolean) => act(() => observers.forEach((tell) => tell(isIntersecting)))

beforeEach(() => {
  observers = []
  play.mockReset().mockResolvedValue()
  pause.mockReset()
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(play)
  vi.spyOn(HTMLMediaElement.prototype, 'pause').mockImplementation(pause)
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(tell: (entries: { isIntersecting: boolean }[]) => void) {
        observers.push((isIntersecting) => tell([{ isIntersecting }]))
      }
      observe() {}
      disconnect() {}
    },
  )
})
afterEach(() => {
  Reflect.deleteProperty(navigator, 'connection')
})

const prefer = (matches: boolean) =>
  vi.stubGlobal('matchMedia', () => ({ matches, addEventListener: () => {}, removeEventListener: () => {} }))

test('the film loads when it comes near, loops muted while visible, and pauses out of sight', () => {
  renderPage(<RewardFilm />)
  expect(film()).toBeNull()

  scroll(true)
  expect(film()).toHaveAttribute('preload', 'none')
  expect(film()).toHaveAttribute('poster', expect.stringMatching(/reward-light.*\.webp$/))
  expect([...film()!.querySelectorAll('source')].map(({ type }) => type)).toEqual(['video/webm', 'video/mp4'])
  expect(film()!.muted).toBe(true)
  expect(film()!.loop).toBe(true)
  expect(play).toHaveBeenCalledTimes(1)

  scroll(false)
  expect(pause).toHaveBeenCalled()
})

test('it is hidden from screen readers, and captions tell its story', () => {
  renderPage(<RewardFilm />)
  scroll(true)

  expect(film()).toHaveAttribute('aria-hidden', 'true')
  expect(screen.getByRole('figure')).toHaveTextContent(
    /The 24 hours start when your payment is first seen\..*before they end\..*at the next 09:00 UTC\./,
  )
})

test.each([
  { who: 'reduced motion', arrange: () => prefer(true) },
  { who: 'saved data', arrange: () => Object.assign(navigator, { connection: { saveData: true } }) },
])('for $who it pauses until the play button is pressed', async ({ arrange }) => {
  arrange()
  const { person } = renderPage(<RewardFilm />)
  scroll(true)
  expect(play).not.toHaveBeenCalled()

  await person.click(screen.getByRole('button', { name: 'Play the video' }))
  expect(play).toHaveBeenCalledTimes(1)
  await person.click(screen.getByRole('button', { name: 'Pause the video' }))
  expect(screen.getByRole('button', { name: 'Play the video' })).toBeVisible()
})

test('where autoplay is refused, the button plays it', async () => {
  play.mockRejectedValue(new DOMException('Not now.', 'NotAllowedError'))
  renderPage(<RewardFilm />)
  scroll(true)

  await waitFor(() => expect(screen.getByRole('button', { name: 'Play the video' })).toBeVisible())
})

test('the dark theme has its own film', async () => {
  renderPage(<RewardFilm />)
  scroll(true)
  act(() => void (document.documentElement.dataset.theme = 'dark'))

  await waitFor(() => expect(observers.length).toBe(4))
  scroll(true)
  expect(film()).toHaveAttribute('poster', expect.stringMatching(/reward-dark.*\.webp$/))
  delete document.documentElement.dataset.theme
})
