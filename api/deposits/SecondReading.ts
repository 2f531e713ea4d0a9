import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { AnswerTooLarge } from '../chain/createJsonRpc.ts'
import { readBlock, readTransfers, type Transfer } from '../chain/readTransfers.ts'
import { isRpcRefusal } from '../chain/RpcEndpoint.ts'
import { sql } from '../db/sql.ts'
import { ReadingPlan } from './ReadingPlan.ts'
import { takeInTransfers } from './takeInTransfers.ts'
import type { Watch } from './Watch.ts'

/** Final blocks that may wait for their second reading before somebody is told. */
const VERIFY_LAG = 2_000n

/** Reads final blocks a second time, from another endpoint where there is one: what the first one left out is found (money.md 2). */
export class SecondReading {
  readonly #watch: Watch
  readonly #plan: ReadingPlan

  constructor(watch: Watch, maxRange?: bigint) {
    this.#watch = watch
    this.#plan = new ReadingPlan(maxRange)
  }

  /** Reads the next range that has become final. */
  async run(): Promise<void> {
    const watch = this.#watch
    const finalNumber = await watch.readFinal()
    if (finalNumber === undefined) return
    const [progress] = await watch.rows<{ verified_number: string }>(
      'select verified_number from chain_progress where chain_id = $1',
      [PAYMENT_CHAIN_ID],
    )
    const from = BigInt(progress!.verified_number) + 1n
    if (from > finalNumber) return
    const to = from + this.#plan.size - 1n < finalNumber ? from + this.#plan.size - 1n : finalNumber
    const transfers = await this.#readAgain(from, to)
    if (!transfers) {
      if (finalNumber - from > VERIFY_LAG)
        watch.alertOnce('verify', `Final blocks from ${from} on could not be read a second time for long.`)
      return
    }
    const missing = await watch.write(async (em) => {
      const added = await takeInTransfers(em, watch, transfers)
      await sql(em, 'update chain_progress set verified_number = $2 where chain_id = $1', [PAYMENT_CHAIN_ID, to])
      return added
    })
    if (missing > 0)
      watch.alert(`${missing} deposits in blocks ${from} to ${to} were missing from the first reading. They are stored now.`)
  }

  /**
   * Asks another endpoint than the first reading did. One that lags behind is waited for; where all others refuse, the same one is asked
   * again, which is better than not at all.
   */
  async #readAgain(from: bigint, to: bigint): Promise<Transfer[] | undefined> {
    const watch = this.#watch
    const filter = await watch.readFilter()
    const ownBlock = await readBlock(watch.endpoint, to)
    const others = watch.endpointCount - 1
    for (let i = Math.min(1, others); i <= others + 1; i += 1) {
      try {
        const other = watch.endpointAt(i)
        const otherBlock = await readBlock(other, to)
        if (!otherBlock || otherBlock.hash !== ownBlock?.hash) return undefined
        const transfers = await readTransfers(other, { ...filter, from, to })
        this.#plan.adapt(transfers.length)
        return transfers
      } catch (error) {
        if (isRpcRefusal(error) || error instanceof AnswerTooLarge) this.#plan.halve()
      }
    }
    return undefined
  }
}
