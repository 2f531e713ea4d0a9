import { create } from 'zustand'
import { readFromTab, storeInTab } from '#pwa/lib/deviceStorage.ts'

const STORAGE_KEY = 'chosen_quantity'

interface ChosenQuantity {
  /** As typed; null until the user chooses. */
  typed: string | null
  /** Chosen by a visitor who has not returned to the purchase page since. */
  isOffered: boolean
}

/**
 * The quantity the user wants. Kept across every kind of login, including those that reload the page, and while a phone discards the page
 * because its user looks at the authenticator app.
 */
export const useChosenQuantity = create<ChosenQuantity>()(() => ({ typed: null, isOffered: false }))

export const chooseQuantity = (typed: string, { isVisitor }: { isVisitor: boolean }): void =>
  keep({ typed, isOffered: isVisitor })

/** Restores the choice after a page load. Called after hydration, because the server renders the page without it. */
export function restoreQuantity(): void {
  if (useChosenQuantity.getState().typed !== null) return
  const stored = readStored()
  if (stored) useChosenQuantity.setState(stored)
}

/** The user is logged in and back on the purchase page: the offer to continue is no longer needed. */
export function endOffer(): void {
  restoreQuantity()
  const { typed, isOffered } = useChosenQuantity.getState()
  if (isOffered) keep({ typed, isOffered: false })
}

/** It is paid: the next page load must not suggest it again. */
export const forgetQuantity = (): void => storeInTab(STORAGE_KEY, null)

/** Its user has logged out: the next one's choice is their own. */
export const resetQuantity = (): void => keep({ typed: null, isOffered: false })

function keep(chosen: ChosenQuantity): void {
  useChosenQuantity.setState(chosen)
  storeInTab(STORAGE_KEY, chosen.typed === null ? null : JSON.stringify(chosen))
}

function readStored(): ChosenQuantity | null {
  try {
    const { typed, isOffered } = JSON.parse(readFromTab(STORAGE_KEY) ?? 'null') as ChosenQuantity
    return typeof typed === 'string' ? { typed, isOffered } : null
  } catch {
    return null
  }
}
