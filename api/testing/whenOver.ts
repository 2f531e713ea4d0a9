import { afterAll, beforeAll, onTestFinished } from 'vitest'

type Undo = () => unknown

/** Of what is being set up for a whole file. */
let shared: Undo[] | undefined

/** Undoes what was set up: when the test is over, or, for what the tests of a file share (`useShared`), when they all are. */
export function whenOver(undo: Undo): void {
  if (shared) shared.push(undo)
  else onTestFinished(async () => void (await undo()))
}

/** Sets something up once for all tests of a file, which leave it as it was. Filled before the first test. */
export function useShared<T extends object>(setup: () => Promise<T>): T {
  const value = {} as T
  const undos: Undo[] = []
  beforeAll(async () => {
    shared = undos
    try {
      Object.assign(value, await setup())
    } finally {
      shared = undefined
    }
  })
  afterAll(async () => {
    for (const undo of undos.toReversed()) await undo()
  })
  return value
}
