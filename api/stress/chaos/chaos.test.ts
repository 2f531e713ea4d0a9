import { expect, test } from 'vitest'
import { faultKinds, makePlan, purchaseKinds } from './makePlan.ts'
import { runChaos } from './runChaos.ts'

test('no payment is lost and none is made twice while users buy and withdraw during faults', {
  timeout: 900_000,
}, async () => {
  const { losses, plan, faults, untried, figures } = await runChaos({
    seed: 1,
    // Enough for every kind of fault and of purchase; `npm run chaos` repeats and combines them for longer.
    seconds: 30,
    processes: { web: 2, worker: 2, watcher: 2 },
    proxy: 'in this process',
    smallDisks: false,
  })

  expect(losses).toEqual([])
  // Makes sure that there were faults and users.
  expect(new Set([...plan.faults.map(({ kind }) => kind), ...untried])).toEqual(new Set(faultKinds))
  expect(new Set(plan.purchases.map(({ kind }) => kind))).toEqual(new Set(purchaseKinds))
  expect(faults.size).toBeGreaterThan(faultKinds.length / 2)
  // A busy machine gets through fewer: a withdrawal that is delayed beyond the restore must be signed again.
  expect(figures['payments matched with purchases']).toBeGreaterThan(5)
  expect(figures['withdrawals paid']).toBeGreaterThan(5)
})

test('the same seed gives the same plan, and another seed another one', () => {
  const planOf = (seed: number) => makePlan({ seed, seconds: 600, holders: 6, kinds: faultKinds })
  expect(planOf(7)).toEqual(planOf(7))
  expect(planOf(7)).not.toEqual(planOf(8))
  expect(planOf(7).faults.some(({ kind, lasts }) => kind === 'leaderDeposed' && lasts === 120_000)).toBe(true)
})
