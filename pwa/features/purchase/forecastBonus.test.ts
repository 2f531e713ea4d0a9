import { expect, test } from 'vitest'
import { somePurchase } from '#pwa/testing/answers.ts'
import { countPaid, forecastBonus } from './forecastBonus.ts'

test.each([
  [
    { owned: 0, quantity: 1 },
    { earned: 0, missing: 9 },
  ],
  [
    { owned: 0, quantity: 10 },
    { earned: 1, missing: 10 },
  ],
  [
    { owned: 0, quantity: 20 },
    { earned: 2, missing: 10 },
  ],
  [
    { owned: 8, quantity: 5 },
    { earned: 1, missing: 7 },
  ],
  [
    { owned: 19, quantity: 1 },
    { earned: 1, missing: 10 },
  ],
])('%o adds %o', (bought, forecast) => {
  expect(forecastBonus(bought)).toEqual(forecast)
})

test('bonus nodes and unpaid requests do not count toward the next one', () => {
  expect(
    countPaid([
      somePurchase({ finalQuantity: 10 }),
      somePurchase({ finalQuantity: 1, purchaseAmountUsdt: 0n }),
      somePurchase({ finalQuantity: null, paymentStatus: 'pending' }),
    ]),
  ).toBe(10)
})
