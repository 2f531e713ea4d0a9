import type { History } from './History.ts'
import type { World } from './startWorld.ts'

/** The shared state of a run. */
export interface Run {
  world: World
  history: History
  /** The time after which users stop retrying: some time after the last fault. */
  until: number
}
