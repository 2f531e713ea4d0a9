import type { StateCreator } from 'zustand'
import { create as createStore } from 'zustand/react'

const subscriptions = new Set<() => void>()
const resets = new Set<() => void>()

/**
 * Replaces zustand's `create` in component tests (vite.config.ts), so that `resetStores` knows every store.
 * @public
 */
export const create =
  <State>() =>
  (initialize: StateCreator<State>) => {
    const store = createStore<State>()(initialize)
    const { subscribe } = store
    store.subscribe = (listener) => {
      const unsubscribe = subscribe(listener)
      subscriptions.add(unsubscribe)
      return unsubscribe
    }
    // Initialized again rather than set to its initial state, because that may have been read from the test's storage.
    resets.add(() => store.setState(initialize(store.setState, store.getState, store), true))
    return store
  }

/** Resets every store to the state of a newly opened page. */
export function resetStores(): void {
  for (const unsubscribe of subscriptions) unsubscribe()
  subscriptions.clear()
  for (const reset of resets) reset()
}
