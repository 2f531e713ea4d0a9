import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { Tooltip } from './Tooltip.tsx'

/** Radix positions a tooltip in a promise. */
const pass = (milliseconds: number) => act(async () => void vi.advanceTimersByTime(milliseconds))
const hover = (name: string) => fireEvent.pointerMove(screen.getByRole('button', { name }), { pointerType: 'mouse' })
const leave = (name: string) => fireEvent.pointerLeave(screen.getByRole('button', { name }), { pointerType: 'mouse' })
const shown = () => screen.queryByRole('tooltip')?.textContent ?? null

beforeEach(() => {
  vi.useFakeTimers()
  renderPage(
    <>
      <Tooltip text="The first">
        <button type="button">One</button>
      </Tooltip>
      <Tooltip text="The second">
        <button type="button">Two</button>
      </Tooltip>
    </>,
  )
})
afterEach(() => pass(1_000))

test('it opens after 700 ms', async () => {
  hover('One')
  await pass(699)
  expect(shown()).toBeNull()
  await pass(1)
  expect(shown()).toBe('The first')
})

test.each([
  { after: 299, wait: 0 },
  { after: 300, wait: 700 },
])('$after ms after one was shown the next waits $wait ms', async ({ after, wait }) => {
  hover('One')
  await pass(700)
  fireEvent.keyDown(document, { key: 'Escape' })
  leave('One')
  expect(shown()).toBeNull()

  await pass(after)
  hover('Two')
  if (wait > 0) {
    await pass(wait - 1)
    expect(shown()).toBeNull()
  }
  await pass(1)
  expect(shown()).toBe('The second')
})

test('a tap opens it, because a finger cannot hover', async () => {
  const button = screen.getByRole('button', { name: 'One' })
  fireEvent.pointerDown(button, { pointerType: 'touch' })
  fireEvent.pointerUp(button, { pointerType: 'touch' })
  fireEvent.click(button)
  await pass(0)
  expect(shown()).toBe('The first')
})
