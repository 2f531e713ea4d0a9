import { expect, test } from 'vitest'
import { cellOf, layOutField, type Mark, numberAt, paintField } from './fieldImage.ts'

const whole = (width: number, blocksAcross = 25) => layOutField({ width, first: 1, count: 20_000, blocksAcross })
const mark: Mark = { color: [1, 2, 3], diameter: 0.8 }

test.each([320, 358, 716, 1074, 1120, 2240])('a field %i pixels wide has room for all nodes', (width) => {
  const layout = whole(width, width < 900 ? 20 : 25)
  for (let number = 1; number <= 20_000; number++) {
    const { x, y } = cellOf(layout, number)
    expect(x >= 0 && x + layout.pitch <= layout.width && y >= 0 && y + layout.pitch <= layout.height).toBe(true)
  }
})

test('every node is found at the place where it is drawn', () => {
  const layout = whole(1120)
  for (const number of [1, 10, 11, 100, 101, 2_500, 2_501, 6_412, 20_000]) {
    const { x, y } = cellOf(layout, number)
    expect(numberAt(layout, x + layout.pitch / 2, y + layout.pitch / 2)).toBe(number)
  }
})

test('ten nodes bought together are one row of a block', () => {
  const layout = whole(1120)
  const cells = Array.from({ length: 10 }, (_, at) => cellOf(layout, 41 + at))
  expect(new Set(cells.map(({ y }) => y)).size).toBe(1)
})

test('only cells with a mark are painted', () => {
  const layout = whole(1120)
  const pixels = paintField(layout, (number) => (number === 42 ? mark : undefined))
  const { x, y } = cellOf(layout, 42)
  const painted = new Set<string>()
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at + 3]! > 0)
      painted.add(
        `${Math.floor((((at / 4) % layout.width) - x) / layout.pitch)},${Math.floor((Math.floor(at / 4 / layout.width) - y) / layout.pitch)}`,
      )
  }
  expect([...painted]).toEqual(['0,0'])
})

test('a ring is empty in its middle', () => {
  const layout = layOutField({ width: 200, first: 1, count: 1, blocksAcross: 1 })
  const pixels = paintField(layout, () => ({ ...mark, diameter: 1, ring: 0.15 }))
  const middle = (Math.floor(layout.pitch / 2) * layout.width + layout.left + Math.floor(layout.pitch / 2)) * 4
  expect(pixels[middle + 3]).toBe(0)
  expect(pixels.some((value) => value > 0)).toBe(true)
})
