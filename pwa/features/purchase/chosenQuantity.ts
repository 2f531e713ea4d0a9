import { create } from 'zustand'

const STORAGE_KEY = 'chosen_quantity'

interface ChosenQuantity {
  /** As it was typed; null until somebody chooses. */
  typed: string | null
  /** A visitor chose it and has not been back on the purchase page since. */
  isOffered: boolean
}

/** How many nodes somebody wants: kept through every way of logging in, also one that loads the page anew. */
export const useChosenQuantity = create<ChosenQuantity>()(() => ({ typed: null, isOffered: false }))

export function chooseQuantity(typed: string, { isVisitor }: { isVisitor: boolean }): void {
  useChosenQuantity.setState({ typed, isOffered: isVisitor })
  if (isVisitor) store(typed)
}

/** Reads what a visitor chose before the page was loaded anew. Called after hydration: the server draws the page without it. */
export function restoreQuantity(): void {
  if (useChosenQuantity.getState().typed !== null) return
  try {
    const typed = sessionStorage.getItem(STORAGE_KEY)
    if (typed !== null) useChosenQuantity.setState({ typed, isOffered: true })
  } catch {
    // Storage is denied: the choice lasts as long as the page.
  }
}

/** Somebody who is logged in is back on the purchase page: there is nothing to offer any more. */
export function endOffer(): void {
  useChosenQuantity.setState({ isOffered: false })
  store(null)
}

function store(typed: string | null): void {
  try {
    if (typed === null) sessionStorage.removeItem(STORAGE_KEY)
    else sessionStorage.setItem(STORAGE_KEY, typed)
  } catch {
    // Storage is denied: the choice lasts as long as the page.
  }
}
