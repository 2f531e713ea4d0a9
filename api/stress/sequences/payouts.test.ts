import { expect, test } from 'vitest'
import { runPayoutSequence } from './runPayoutSequence.ts'
import { seeds, steps } from './sequences.ts'

test.for(seeds)(
  'whatever happens in an order drawn by the seed %i, each withdrawal is paid once or refunded',
  { timeout: 3_600_000 },
  async (seed) => {
    expect(await runPayoutSequence({ seed, steps })).toHaveLength(steps + 1)
  },
)
