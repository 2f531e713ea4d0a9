import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

export interface Random {
  /** A random integer from `min` to `max` inclusive. */
  between(min: number, max: number): number
  chance(percent: number): boolean
  oneOf<Thing>(things: readonly Thing[]): Thing
  shuffle<Thing>(things: readonly Thing[]): Thing[]
}

/** Creates a seeded random generator: the same seed gives the same values. */
export function createRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed)
  const between: Random['between'] = (min, max) => uniformInt(generator, min, Math.max(min, max))
  return {
    between,
    chance: (percent) => between(1, 100) <= percent,
    oneOf: (things) => things[between(0, things.length - 1)]!,
    shuffle(things) {
      const shuffled = [...things]
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = between(0, last)
        ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
      }
      return shuffled
    },
  }
}
