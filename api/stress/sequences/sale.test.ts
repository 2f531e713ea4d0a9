import { expect, test } from 'vitest'
import { runSaleSequence } from './runSaleSequence.ts'
import { seeds, steps } from './sequences.ts'

test.for(seeds)(
  'whatever happens in an order drawn by the seed %i, no payment is lost or counts twice',
  { timeout: 3_600_000 },
  async (seed) => {
    expect(await runSaleSequence({ seed, steps })).toBe(steps)
  },
)
