import { expect, test } from 'vitest'
import { readText } from './readText.ts'

const id = '0193ab2c-7c00-7000-8000-000000000001'

test.each([
  [`0x${'AB'.repeat(32)}`, { hash: `0x${'ab'.repeat(32)}` }],
  [` 0x${'Cd'.repeat(20)} `, { address: `0x${'cd'.repeat(20)}` }],
  [id.toUpperCase(), { ids: { from: id, to: id } }],
  ['0193ab2c-7c00-70', { ids: { from: '0193ab2c-7c00-7000-0000-000000000000', to: '0193ab2c-7c00-70ff-ffff-ffffffffffff' } }],
  ['#1042', { nodeNumber: 1042, email: '#1042' }],
  ['mina@', { email: 'mina@' }],
  // Eight digits are the beginning of an id or part of an address, and no node's number.
  [
    '12345678',
    { ids: { from: '12345678-0000-0000-0000-000000000000', to: '12345678-ffff-ffff-ffff-ffffffffffff' }, email: '12345678' },
  ],
  ['', {}],
])('%j is read by its form', (text, named) => {
  expect(readText(text)).toEqual(named)
})

test.each([
  '0193ab2',
  '0193ab2cf',
  '0193ab2c-7c00-7000-8000-0000000000010',
  '0193ab2c--',
  "0193ab2c-'; drop",
  '0193ab2c-7c007',
  '%',
  '0x12',
])('%j is part of an address at most', (text) => {
  expect(readText(text)).toEqual({ email: text })
})
