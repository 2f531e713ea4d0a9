import { useEffect } from 'react'
import { readFromTab, storeInTab } from '#pwa/lib/deviceStorage.ts'

const STORAGE_KEY = 'typed_email'

/** The address typed in a form of this tab, until its user is logged in. */
export const keepEmail = ({ target }: { target: { value: string } }): void => storeInTab(STORAGE_KEY, target.value || null)

export const forgetEmail = (): void => storeInTab(STORAGE_KEY, null)

/** Fills in the address after a page load. After hydration, because the server renders the form without it. */
export function useKeptEmail({ isEmpty, fill }: { isEmpty: boolean; fill: (email: string) => void }): void {
  useEffect(() => {
    const kept = readFromTab(STORAGE_KEY)
    if (isEmpty && kept) fill(kept)
    // Only once: a field that is cleared later stays empty.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
}
