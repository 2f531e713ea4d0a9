import type { Clock } from '../clock/Clock.ts'

/** A clock that stands until a test moves it. Starts at the present, because rows written by the database carry real time. */
export class FakeClock implements Clock {
  #now = new Date()
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
