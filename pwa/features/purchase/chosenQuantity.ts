import { create } from 'zustand'
import { readFromTab, storeInTab } from '#pwa/lib/deviceStorage.ts'

const STORAGE_KEY = 'chosen_quantity'

interface ChosenQuantity {
  /** As typed; null until the user chooses. */
  typed: string | null
  /** Chosen by a visitor who has not returned to the purchase page since. */
  isOffered: boolean
}

/** The quantity the user wants. Kept across every kind of login, including those that reload the page. */
export const useChosenQuantity = create<ChosenQuantity>()(() => ({ typed: null, isOffered: false }))

export function chooseQuantity(typed: string, { isVisitor }: { isVisitor: boolean }): void {
  useChosenQuantity.setState({ typed, isOffered: isVisitor })
  if (isVisitor) storeInTab(STORAGE_KEY, typed)
}

/** Restores a visitor's choice after a page load. Called after hydration, because the server renders the page without it. */
export function restoreQuantity(): void {
  if (useChosenQuantity.getState().typed !== null) return
  const typed = readFromTab(STORAGE_KEY)
  if (typed !== null) useChosenQuantity.setState({ typed, isOffered: true })
}

/** The user is logged in and back on the purchase page: the offer to continue is no longer needed. */
export function endOffer(): void {
  useChosenQuantity.setState({ isOffered: false })
  storeInTab(STORAGE_KEY, null)
}
