import { act, render, screen } from '@testing-library/react'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tolerateTranslation } from './tolerateTranslation.ts'

const { removeChild, insertBefore } = Node.prototype
beforeAll(tolerateTranslation)
afterAll(() => {
  Object.assign(Node.prototype, { removeChild, insertBefore })
})

/** Google Translate replaces each text by two nested font elements. */
function translatePage(): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const texts: Text[] = []
  while (walker.nextNode()) texts.push(walker.currentNode as Text)
  for (const text of texts) {
    const outer = document.createElement('font')
    outer.append(Object.assign(document.createElement('font'), { textContent: `«${text.data}»` }))
    text.parentNode!.insertBefore(outer, text)
    text.remove()
  }
}

const Payment = ({ confirmations, hint, isOver = false }: { confirmations: number; hint?: string; isOver?: boolean }) => (
  <p data-testid="payment">
    {isOver ? 'Confirmed.' : 'Waiting.'} {hint}
    {isOver && <b>Yours</b>}
    {confirmations} of 15
  </p>
)

const shown = () => screen.getByTestId('payment').textContent!.replace(/[«»]/g, '')

test('a translated page keeps updating', async () => {
  const { rerender, unmount } = render(<Payment confirmations={3} hint="Safe to close." />)
  await act(async () => translatePage())
  expect(screen.getByTestId('payment').querySelectorAll('font').length).toBeGreaterThan(4)

  await act(async () => rerender(<Payment confirmations={4} hint="Safe to close." />))
  expect(shown()).toBe('Waiting. Safe to close.4 of 15')

  // One part is removed, another is inserted before the replaced text.
  await act(async () => rerender(<Payment confirmations={15} isOver />))
  expect(shown()).toBe('Confirmed. Yours15 of 15')

  await act(async () => translatePage())
  await act(async () => rerender(<Payment confirmations={15} hint="Thank you." isOver />))
  expect(shown()).toBe('Confirmed. Thank you.Yours15 of 15')
  unmount()
  expect(document.querySelector('font')).toBeNull()
})

test('a translation that replaced another element is found as well', async () => {
  const Switched = ({ isOn }: { isOn: boolean }) => <div data-testid="payment">{isOn ? <b>On</b> : 'Off'} now</div>
  const { rerender } = render(<Switched isOn={false} />)
  await act(async () => translatePage())
  await act(async () => rerender(<Switched isOn />))
  expect(shown()).toBe('On now')
  await act(async () => rerender(<Switched isOn={false} />))
  expect(shown()).toBe('Off now')
})
