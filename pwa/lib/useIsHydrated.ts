import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** True once the page is hydrated; false on the server and during hydration. Content that can wait is rendered after that. */
export const useIsHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
