import { expect, onTestFinished, test } from 'vitest'
import { loadPart, startInLanguage } from '#pwa/i18n/language.ts'
import { nameOfValue } from './fieldNames.ts'
import { findDifferences } from './findDifferences.ts'

test.each([
  ['nothing at all', null, null, []],
  ['a value', { value: '3' }, { value: '3.5' }, [{ path: 'value', before: '3', after: '3.5' }]],
  ['an unchanged value', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ path: 'b', before: '2', after: '3' }]],
  ['a new value', null, { reason: 'wrong' }, [{ path: 'reason', before: undefined, after: 'wrong' }]],
  ['a removed value', { note: 'old' }, null, [{ path: 'note', before: 'old', after: undefined }]],
  ['a list', { ips: ['1', '2'] }, { ips: [] }, [{ path: 'ips', before: '1, 2', after: 'none' }]],
  ['nothing inside', { address: null }, { address: '0x1' }, [{ path: 'address', before: 'none', after: '0x1' }]],
  ['an empty text', { note: '' }, { note: 'x' }, [{ path: 'note', before: 'empty', after: 'x' }]],
  ['a nested value', { a: { b: true } }, { a: { b: false } }, [{ path: 'a.b', before: 'yes', after: 'no' }]],
  ['a whole list', null, ['one', 'two'], [{ path: '', before: undefined, after: 'one, two' }]],
  ['a bare value', 'one', 'two', [{ path: '', before: 'one', after: 'two' }]],
  ['things in a list', null, { rows: [{ n: 1 }] }, [{ path: 'rows', before: undefined, after: '{"n":1}' }]],
  [
    'a list of objections',
    null,
    {
      overridden: [
        { code: 'transaction_not_found', facts: {} },
        { code: 'amount_differs', facts: { received: '5', price: '6' } },
      ],
    },
    [
      {
        path: 'overridden',
        before: undefined,
        after:
          'This transaction is not on the chain. It may not be mined yet. This transaction transfers 5 USDT, but the purchase costs 6 USDT.',
      },
    ],
  ],
  [
    'a value that stood only before',
    { pending: 4, status: 'a' },
    { status: 'b', quantity: 4 },
    [
      { path: 'status', before: 'a', after: 'b' },
      { path: 'quantity', before: undefined, after: '4' },
      { path: 'pending', before: '4', after: undefined },
    ],
  ],
  [
    'a time',
    null,
    { effectiveFrom: '2026-11-21T09:00:00.000Z' },
    [{ path: 'effectiveFrom', before: undefined, after: '21 Nov 2026, 09:00:00 UTC' }],
  ],
])('%s is described', (_, before, after, differences) => {
  expect(findDifferences(before, after)).toEqual(differences)
})

test('each objection that was overridden is said in the language of the page', async () => {
  onTestFinished(async () => startInLanguage('en'))
  await loadPart('office')
  await startInLanguage('ko')
  expect(nameOfValue('overridden', 'This transaction failed.\nThis transaction transfers no USDT.')).toBe(
    '실패한 거래입니다. USDT를 전송하지 않은 거래입니다.',
  )
})
