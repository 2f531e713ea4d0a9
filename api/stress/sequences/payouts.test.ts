import { expect, test } from 'vitest'
import { runPayoutSequence } from './payouts.ts'

/** More of them, from the first seed on, by `PAYOUT_SEQUENCES=100 PAYOUT_SEED=1 PAYOUT_STEPS=200`. */
const sequences = Number(process.env.PAYOUT_SEQUENCES ?? 1)
const firstSeed = Number(process.env.PAYOUT_SEED ?? 1)
const steps = Number(process.env.PAYOUT_STEPS ?? 15)

test.for(Array.from({ length: sequences }, (_, index) => firstSeed + index))(
  'whatever happens in an order drawn by the seed %i, each withdrawal is paid once or refunded',
  async (seed) => {
    expect(await runPayoutSequence({ seed, steps })).toHaveLength(steps + 1)
  },
)
