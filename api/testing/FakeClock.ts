import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '#api/platform/clock/Clock.ts'
import type { TimeSources } from '#api/rewards/daily/requireDayCome.ts'

/**
 * A clock that only a test moves. It starts near the present, because the database writes real time into rows. It starts two seconds
 * earlier, because block times are whole seconds and must not be earlier than the clock.
 */
export class FakeClock implements Clock {
  #now = new Date(Date.now() - 2_000)
  #ahead = 0
  #databaseLag = 0

  now(): Date {
    return new Date(this.#now)
  }

  productNow(): Date {
    return new Date(this.#now.getTime() + this.#ahead)
  }

  async dueNow(): Promise<Date> {
    return this.#dueNow()
  }

  dueTime(): RawBuilder<Date> {
    return sql<Date>`${this.#dueNow()}::timestamptz`
  }

  #dueNow(): Date {
    return new Date(this.#now.getTime() - this.#databaseLag)
  }

  set(now: Date): void {
    this.#now = now
  }

  advance(milliseconds: number): void {
    this.#now = new Date(this.#now.getTime() + milliseconds)
  }

  /** Moves only product time, as a demo does. */
  advanceProduct(milliseconds: number): void {
    this.#ahead += milliseconds
  }

  /** Moves this machine's clock ahead of the database's, which stays. */
  advanceMachine(milliseconds: number): void {
    this.advance(milliseconds)
    this.#databaseLag += milliseconds
  }
}

/** A database and chains with the clock's time. */
export const clockTimeSources = (clock: Clock): TimeSources => ({
  readDatabaseTime: async () => clock.now(),
  chains: [async () => clock.now()],
})
