import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { Tabs } from './Tabs.tsx'

test('the row says at which ends tabs are hidden', () => {
  render(<Tabs label="Parts" value="a" onValueChange={() => {}} tabs={[{ value: 'a', label: 'A', content: 'a' }]} />)
  const row = screen.getByRole('tablist').parentElement!
  expect(row.dataset.hiddenAt).toBe('')

  const scrollTo = (scrollLeft: number) => {
    for (const [name, value] of Object.entries({ scrollLeft, clientWidth: 300, scrollWidth: 700 }))
      Object.defineProperty(row, name, { value, configurable: true })
    fireEvent.scroll(row)
    return row.dataset.hiddenAt
  }
  expect([scrollTo(0), scrollTo(200), scrollTo(400)]).toEqual(['right', 'left right', 'left'])
})

test('while another view is open, the focus passes the tabs on its way there and opens none', async () => {
  const opened: string[] = []
  const tabs = ['a', 'b'].map((value) => ({ value, label: value, content: value }))
  render(
    <>
      <Tabs label="Parts" value={null} onValueChange={(value) => opened.push(value)} tabs={tabs} />
      <button type="button">In the other view</button>
    </>,
  )
  const person = userEvent.setup()
  await person.tab()
  expect(screen.getByRole('tab', { name: 'a' })).toHaveFocus()
  await person.keyboard('{ArrowRight}')
  expect(opened).toEqual([])
  await person.tab()
  expect(screen.getByRole('button')).toHaveFocus()
  await person.tab({ shift: true })
  await person.keyboard('{Enter}')
  expect(opened).toHaveLength(1)
})

test('a press opens a tab once, and another press again', async () => {
  const opened: string[] = []
  const tabs = ['a', 'b'].map((value) => ({ value, label: value, content: value }))
  render(<Tabs label="Parts" value="a" onValueChange={(value) => opened.push(value)} tabs={tabs} />)
  const person = userEvent.setup()
  await person.click(screen.getByRole('tab', { name: 'b' }))
  expect(opened).toEqual(['b'])
  await person.click(screen.getByRole('tab', { name: 'b' }))
  expect(opened).toEqual(['b', 'b'])
})

test.each([
  ['right', { left: 240, right: 290 }, 138],
  ['left', { left: 10, right: 60 }, 62],
])('the open tab is scrolled out of the fade at the %s', (_, open, scrollLeft) => {
  const tabs = ['a', 'b'].map((value) => ({ value, label: value, content: value }))
  const row = (value: string) => <Tabs label="Parts" value={value} onValueChange={() => {}} tabs={tabs} />
  const { rerender } = render(row('a'))
  const list = screen.getByRole('tablist').parentElement!
  list.scrollLeft = 100
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return (this === list ? { left: 0, right: 300, width: 300 } : open) as DOMRect
  })
  rerender(row('b'))
  expect(list.scrollLeft).toBe(scrollLeft)
})
