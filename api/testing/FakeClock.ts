import type { Clock } from '#api/platform/clock/Clock.ts'
import type { TimeSources } from '#api/rewards/daily/confirmDay.ts'

/**
 * A clock that stands until a test moves it. Starts near the present, because rows written by the database carry real time; two seconds
 * before it, because blocks carry whole seconds and must not seem older than what they were made after.
 */
export class FakeClock implements Clock {
  #now = new Date(Date.now() - 2_000)
  #ahead = 0

  now(): Date {
    return new Date(this.#now)
  }

  productNow(): Date {
    return new Date(this.#now.getTime() + this.#ahead)
  }

  set(now: Date): void {
    this.#now = now
  }

  advance(milliseconds: number): void {
    this.#now = new Date(this.#now.getTime() + milliseconds)
  }

  /** Moves product time alone, as a demo does. */
  advanceProduct(milliseconds: number): void {
    this.#ahead += milliseconds
  }
}

/** A database and chains whose time is the clock's. */
export const agreeingWith = (clock: Clock): TimeSources => ({
  readDatabaseTime: async () => clock.now(),
  chains: [async () => clock.now()],
})
