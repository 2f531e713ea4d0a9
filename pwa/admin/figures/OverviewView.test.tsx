import { fireEvent, screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { getAdminCharts } from '#shared/contract/admin/office.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { amountOf, answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'

const api = useFakeApi()

function open(at = '/admin-panel?tab=overview') {
  answerCommonCalls(api)
  answerBackOffice(api)
  return renderPage(<AdminArea />, { at })
}

/** Two days of figures. */
function answerCharts() {
  const asked: string[] = []
  api.answer(getAdminCharts, ({ query }) => {
    asked.push(query.days)
    return {
      sales: [
        { date: '2026-11-19', nodes: 40, revenueUsdt: amountOf('120') },
        { date: '2026-11-20', nodes: 1, revenueUsdt: amountOf('3.5') },
      ],
      xcr: [
        { date: '2026-11-19', withdrawn: 0n, rewarded: amountOf('230') },
        { date: '2026-11-20', withdrawn: amountOf('3000'), rewarded: amountOf('330.25') },
      ],
      supply: { total: 20_000, paid: 300, bonus: 30, held: 10 },
    }
  })
  return asked
}

test('charts have a place of their own, and match their tables, which are shown on request', async () => {
  answerCharts()
  const { person } = open()
  const cellsOf = async (name: string) =>
    within(await screen.findByRole('table', { name }))
      .getAllByRole('row')
      .slice(1)
      .map((row) => [...row.children].map(({ textContent }) => textContent))
  expect(await cellsOf('Nodes sold per day')).toEqual([
    ['2026-11-19', '40 nodes'],
    ['2026-11-20', '1 node'],
  ])
  expect(await cellsOf('Revenue per day')).toEqual([
    ['2026-11-19', '120 USDT'],
    ['2026-11-20', '3.5 USDT'],
  ])
  expect(await cellsOf('Rewards and withdrawals per day')).toEqual([
    ['2026-11-19', '230 XCR', '0 XCR'],
    ['2026-11-20', '330.25 XCR', '3,000 XCR'],
  ])
  // Also what waits to be paid is in it.
  expect(screen.getByRole('columnheader', { name: 'Withdrawn or requested' })).toBeInTheDocument()
  expect(screen.getAllByRole('term').map(({ textContent }) => textContent!.trim())).toEqual([
    'Paid',
    'Bonus',
    'Reserved',
    'Available',
  ])
  expect(screen.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual([
    '300 1.5%',
    '30 0.1%',
    '10 0.1%',
    '19,660 98.3%',
  ])

  const [show] = screen.getAllByRole('button', { name: 'Show as a table' })
  const frame = document.getElementById(show!.getAttribute('aria-controls')!)!
  expect(frame).toHaveClass('sr-only')
  await person.click(show!)
  expect(frame).not.toHaveClass('sr-only')
  expect(screen.getByRole('button', { name: 'Hide the table' })).toHaveAttribute('aria-expanded', 'true')
})

test('a chart shows its axis, its sum, and the value of the hovered or tapped day', async () => {
  answerCharts()
  open()
  const chart = (await screen.findByText('Revenue per day', { selector: 'span' })).closest('figure')!
  const drawing = chart.querySelector('svg')!
  drawing.getBoundingClientRect = () => ({ left: 0, width: 100 }) as DOMRect
  const said = () => chart.querySelector('figcaption')!.textContent
  expect(said()).toBe('Revenue per dayLast 2 days123.5 USDT')

  fireEvent.pointerMove(drawing, { clientX: 20 })
  expect(said()).toBe('Revenue per day19 Nov 2026120 USDT')
  fireEvent.pointerMove(drawing, { clientX: 99 })
  expect(said()).toBe('Revenue per day20 Nov 20263.5 USDT')
  fireEvent.pointerLeave(drawing, { pointerType: 'touch' })
  expect(said(), 'a finger leaves as it lifts').toBe('Revenue per day20 Nov 20263.5 USDT')
  fireEvent.pointerLeave(drawing, { pointerType: 'mouse' })
  expect(said()).toBe('Revenue per dayLast 2 days123.5 USDT')
  expect(drawing.parentElement).toHaveTextContent('200')
  expect(drawing.parentElement).toHaveTextContent('100')
  expect(drawing.parentElement).toHaveTextContent(/USDT.*19 Nov 2026.*20 Nov 2026/)
})

test('charts are requested once their view is opened', async () => {
  const asked = answerCharts()
  const { person } = open('/admin-panel')
  expect(await screen.findByRole('heading', { name: 'admin dashboard' })).toBeVisible()
  expect(asked).toEqual([])
  await person.click(screen.getByRole('link', { name: 'Overview' }))
  expect(await screen.findByRole('table', { name: 'Nodes sold per day' })).toBeInTheDocument()
  expect(asked).toEqual(['30'])
})

test('charts use the chosen time span', async () => {
  const asked = answerCharts()
  const { person } = open()
  await person.click(await screen.findByRole('radio', { name: '365 days' }))
  await expect.poll(() => asked).toEqual(['30', '365'])
})

test('charts that failed to load say so', async () => {
  open()
  api.answer(getAdminCharts, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  expect(await screen.findByText('Failed to fetch charts')).toBeVisible()
})
