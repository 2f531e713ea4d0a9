import { afterAll, beforeAll, onTestFinished } from 'vitest'

type Undo = () => unknown

/** The undo functions of the running `useShared` setup. */
let shared: Undo[] | undefined

/** Registers an undo function. It runs after the test, or inside `useShared` after all tests of the file. */
export function onCleanup(undo: Undo): void {
  if (shared) shared.push(undo)
  else onTestFinished(async () => void (await undo()))
}

/** Sets something up once for all tests of a file, which must leave it unchanged. It is filled before the first test. */
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
