import { MINUTE } from '#shared/dates.ts'
import { readDatabaseTime } from '#api/platform/clock/readDatabaseTime.ts'
import type { Services } from '#api/platform/services.ts'
import { rewardInstant } from '#shared/rewardTime.ts'

/** Maximum difference between clocks. A chain whose newest block is older may have stopped, so it does not prove a later time. */
export const CLOCK_TOLERANCE = 5 * MINUTE

/** Sources of real time other than this machine's clock. */
export interface TimeSources {
  readDatabaseTime(): Promise<Date>
  /** The time that each chain has reached; a time after `latest` is rejected. Undefined if the chain does not answer. */
  chains: readonly ((latest: Date) => Promise<Date | undefined>)[]
}

/** A day's 09:00 has come by this machine's clock, but the other sources do not confirm it. */
export class DayUnconfirmed extends Error {
  override name = 'DayUnconfirmed'
  /** The message for the operator. */
  readonly sentence: string

  constructor(day: string, reason: string) {
    const sentence = `The rewards of ${day} wait: ${reason}.`
    super(`ALERT: ${sentence}`)
    this.sentence = sentence
  }
}

export const timeSourcesOf = ({
  orm,
  paymentChain,
  rewardChain,
}: Pick<Services, 'orm' | 'paymentChain' | 'rewardChain'>): TimeSources => ({
  readDatabaseTime: () => readDatabaseTime(orm.em.fork()),
  chains: [paymentChain, rewardChain].map((chain) => (latest: Date) => chain.readTime(latest)),
})

/**
 * Resolves if the database's clock and the newest block of a chain confirm this machine's clock that a day's 09:00 has come (money.md 23).
 * Product time is real time plus an offset, so the real instant of the day's 09:00 is compared.
 *
 * @throws {DayUnconfirmed} with the source that does not agree. The caller tries again later.
 */
export async function requireDayCome(
  day: string,
  { clock, timeSources }: Pick<Services, 'clock'> & { timeSources: TimeSources },
): Promise<void> {
  const now = clock.now().getTime()
  const ahead = clock.productNow().getTime() - now
  const earliest = rewardInstant(day).getTime() - ahead - CLOCK_TOLERANCE
  const databaseTime = await timeSources.readDatabaseTime()
  if (databaseTime.getTime() < earliest)
    throw new DayUnconfirmed(day, "this machine's clock is ahead of the database's by more than five minutes")
  const latest = new Date(now + CLOCK_TOLERANCE)
  const chainTimes = await Promise.all(timeSources.chains.map((readTime) => readTime(latest)))
  if (chainTimes.every((time) => time === undefined))
    throw new DayUnconfirmed(
      day,
      "no chain confirms the time: too few endpoints answer, or their newest blocks are ahead of this machine's clock",
    )
  if (!chainTimes.some((time) => time !== undefined && time.getTime() >= earliest))
    throw new DayUnconfirmed(day, 'the newest block of each chain that answers is older than that day')
}
