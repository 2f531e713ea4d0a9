import type { Book } from './Book.ts'
import type { World } from './startWorld.ts'

/** The shared state of a run. */
export interface Run {
  world: World
  book: Book
  /** The time after which users stop retrying: some time after the last fault. */
  until: number
}
