import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
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
