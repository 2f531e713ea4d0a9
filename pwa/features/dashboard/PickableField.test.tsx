import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { getNodePage, type NodeRun } from '#shared/contract/nodes.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { OwnField } from './OwnField.tsx'
import { SaleField } from './SaleField.tsx'

const api = useFakeApi()
const facts = () => within(screen.getByRole('group', { name: 'Browse the nodes' })).getByRole('status')

/** A sale of 420 nodes, of which the last ten are reserved. Returns the requested pages. */
function openSale(): number[] {
  answerCommonCalls(api, {
    stats: { total: 20_000, totalSold: 420, paid: 400, bonus: 10, reserved: 10, remaining: 19_580, progress: 2.1 },
  })
  const asked: number[] = []
  const runs: NodeRun[] = [
    { first: 1, count: 400, kind: 'paid', day: '2026-11-20' },
    { first: 401, count: 10, kind: 'bonus', day: '2026-11-21' },
  ]
  api.answer(getNodePage, ({ params }) => {
    asked.push(params.page)
    return params.page === 0 ? runs : []
  })
  return asked
}

/** jsdom has no layout: every element is 532 CSS pixels wide, which is five blocks of 10 × 10 points at a pitch of ten. */
function layOut() {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe: () => void
      constructor(tell: () => void) {
        this.observe = tell
      }
      unobserve() {}
      disconnect() {}
    },
  )
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(532)
}

test('a tap on a point shows its number, paid or bonus, and the UTC day, with one request for its page', async () => {
  layOut()
  const asked = openSale()
  renderPage(<SaleField />)
  const field = await screen.findByRole('img', { name: 'Nodes 1 to 1,000: 420 sold, 580 available.' })
  expect(facts()).toHaveTextContent('Tap a dot to see its number and date.')
  expect(asked).toEqual([])

  fireEvent.pointerUp(field, { clientX: 25, clientY: 15 })
  await waitFor(() => expect(facts()).toHaveTextContent('Node 13 · Paid · 20 Nov 2026 UTC'))
  // The fifth block starts after four blocks of a hundred points and their gaps.
  fireEvent.pointerUp(field, { clientX: 532 - 95, clientY: 5 })
  await waitFor(() => expect(facts()).toHaveTextContent('Node 401 · Bonus · 21 Nov 2026 UTC'))
  fireEvent.pointerUp(field, { clientX: 532 - 5, clientY: 95 })
  expect(facts()).toHaveTextContent('Node 500 · Available')
  expect(asked).toEqual([0])
})

test('a visitor steps from the newest allocated node with buttons and keys, within the window', async () => {
  openSale()
  const { person } = renderPage(<SaleField />)
  await screen.findByRole('img', { name: /420 sold/ })

  await person.click(screen.getByRole('button', { name: 'Previous node' }))
  await waitFor(() => expect(facts()).toHaveTextContent('Node 410 · Bonus · 21 Nov 2026 UTC'))
  await person.keyboard('{ArrowRight}')
  expect(facts()).toHaveTextContent('Node 411 · Reserved for a buyer')
  await person.keyboard('{Home}')
  await waitFor(() => expect(facts()).toHaveTextContent('Node 1 · Paid'))
  const previous = screen.getByRole('button', { name: 'Previous node' })
  expect(previous).toHaveAttribute('aria-disabled', 'true')
  expect(previous).toHaveFocus()
  await person.keyboard('{ArrowLeft}')
  expect(facts()).toHaveTextContent('Node 1 · Paid')
})

test('a holder steps through own nodes only, and the window follows', async () => {
  const asked = openSale()
  const { person } = renderPage(<OwnField mine={[7, 1_205, 3]} bonus={[1_205]} isEmpty={false} />)
  expect(await screen.findByRole('img', { name: /^Nodes 1,001 to 2,000: .* 1 yours, 1 of them a bonus\.$/ })).toBeVisible()

  await person.click(screen.getByRole('button', { name: 'Next node' }))
  expect(await screen.findByText(/^Node 1,205 · Yours/)).toBeVisible()
  expect(screen.getByRole('button', { name: 'Next node' })).toHaveAttribute('aria-disabled', 'true')
  await person.click(screen.getByRole('button', { name: 'Previous node' }))
  await waitFor(() => expect(facts()).toHaveTextContent('Node 7 · Yours · Paid · 20 Nov 2026 UTC'))
  expect(screen.getByRole('img', { name: /^Nodes 1 to 1,000: .* 2 yours\.$/ })).toBeVisible()
  await person.keyboard('{ArrowLeft}')
  await waitFor(() => expect(facts()).toHaveTextContent('Node 3 · Yours · Paid'))
  expect(asked).toEqual([1, 0])
})

test('if the day cannot be loaded, the number is still shown', async () => {
  openSale()
  api.answer(getNodePage, () => {
    throw refusal(503, 'busy', 'Try again.')
  })
  const { person } = renderPage(<SaleField />)
  await screen.findByRole('img', { name: /420 sold/ })

  await person.click(screen.getByRole('button', { name: 'Next node' }))
  await waitFor(() => expect(facts()).toHaveTextContent("Node 410 · Couldn't load the date"))
})

test('an account without nodes has no step buttons', async () => {
  openSale()
  renderPage(<OwnField mine={[]} bonus={[]} isEmpty />)

  expect(await screen.findByRole('img', { name: /^Nodes 1 to 1,000/ })).toBeVisible()
  expect(screen.getByText('Yours will light up here')).toBeVisible()
  expect(screen.queryByRole('button')).not.toBeInTheDocument()
})
