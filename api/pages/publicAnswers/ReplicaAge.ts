import { setTimeout as delay } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import { SECOND } from '#shared/dates.ts'
import { type LogPosition, readPosition, readReplayed } from '#api/platform/db/logPosition.ts'

/** A read of the figures does not wait longer for the primary's position, in milliseconds. */
const POSITION_TIMEOUT = SECOND
/** The number of positions kept, one a second: a standby that is further behind is as old as the oldest. */
const MAX_POSITIONS = 600

/** The end of the primary's log at a time. */
interface Position {
  at: number
  position: LogPosition
}

/** Tells which of the primary's changes its replica has, by positions in the primary's log. */
export class ReplicaAge {
  readonly #primary: MikroORM
  readonly #replica: MikroORM
  /** The log position that the replica must reach before it is used again. */
  #requiredPosition: LogPosition | undefined
  /** In the order of time. A replica that has replayed one of them shows everything up to its time. */
  #positions: Position[] = []
  #positioning: Promise<void> | undefined

  constructor({ orm, replica }: { orm: MikroORM; replica: MikroORM }) {
    this.#primary = orm
    this.#replica = replica
  }

  /** Records the primary's log position after a change. The replica is not used until it has reached it. */
  async requireNow(): Promise<void> {
    this.#requiredPosition = await readPosition(this.#primary.em.fork()).catch(() => undefined)
  }

  /** Notes the primary's position. Gives up waiting for it soon, because the primary may be away. */
  async notePosition(): Promise<void> {
    const at = Date.now()
    this.#positioning ??= readPosition(this.#primary.em.fork())
      .then(
        (position) => {
          // After the loss of a primary the log may go on from an earlier position.
          this.#positions = [...this.#positions.filter((known) => known.position <= position), { at, position }].slice(
            -MAX_POSITIONS,
          )
        },
        () => {},
      )
      .finally(() => {
        this.#positioning = undefined
      })
    await Promise.race([this.#positioning, delay(POSITION_TIMEOUT, undefined, { ref: false })])
  }

  forgetPositions(): void {
    this.#positions = []
  }

  /** The time whose changes the replica has, if it is known, and whether it has those that pages were notified of. */
  async read(now: number): Promise<{ asOf: number | undefined; hasCaughtUp: boolean }> {
    try {
      const replayed = await readReplayed(this.#replica.em.fork())
      // It does not follow the primary by streaming replication, so nothing can be said.
      if (replayed === undefined) return { asOf: now, hasCaughtUp: true }
      const hasCaughtUp = this.#requiredPosition === undefined || replayed >= this.#requiredPosition
      if (hasCaughtUp) this.#requiredPosition = undefined
      return { asOf: this.#positions.findLast(({ position }) => position <= replayed)?.at, hasCaughtUp }
    } catch {
      return { asOf: undefined, hasCaughtUp: false }
    }
  }
}
