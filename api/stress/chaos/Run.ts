import type { Book } from './Book.ts'
import type { World } from './startWorld.ts'

/** What everybody who takes part is given. */
export interface Run {
  world: World
  book: Book
  /** When people lose their patience: some time after the last fault. */
  until: number
}
