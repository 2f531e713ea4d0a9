import { checkSale, checkSettledSale } from './checkSale.ts'
import { saleEvents } from './saleEvents.ts'
import { SaleWorld } from './SaleWorld.ts'

/** Number of events after which everything becomes final and is compared with the chain. */
const SETTLE_EVERY = 25

/** Without these nothing goes on. */
const always = new Set(['reserve', 'pay exactly', 'mine and read', 'mine until final', 'the endpoints are right again'])

/**
 * Lets a sale live through a random sequence of events, and checks after each that no payment is lost and none counts twice. The same seed
 * draws alike; what happens at once may end in another order, and hashes and identifiers differ. Runs inside a test, which ends what it starts.
 *
 * @returns the number of events.
 * @throws if a check fails, with the events that led to it.
 */
export async function runSaleSequence({ seed, steps }: { seed: number; steps: number }): Promise<number> {
  const world = await SaleWorld.open(seed)
  // Each sequence lacks some events, so that none hides what the others lead to.
  const drawn = Object.entries(saleEvents).filter(([name]) => always.has(name) || world.random.chance(70))
  const deck = drawn.flatMap(([name, [weight]]) => Array<string>(weight).fill(name))
  const { log } = world
  try {
    for (let step = 1; step <= steps; ) {
      const name = world.random.oneOf(deck)
      log.push(name)
      await world.tick()
      if ((await saleEvents[name]![1](world)) === false) {
        log.pop()
        continue
      }
      await checkSale(world)
      if (step % SETTLE_EVERY === 0 || step === steps) {
        log.push('settle')
        await world.settle()
        await checkSale(world)
        await checkSettledSale(world)
      }
      step += 1
    }
    return steps
  } catch (error) {
    throw new Error(`Seed ${seed}, after ${log.length} events:\n${log.join('\n').replaceAll('\n  ', ' → ')}`, { cause: error })
  }
}
