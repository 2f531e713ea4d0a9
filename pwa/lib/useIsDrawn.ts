import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** Whether the page stands: not on the server, nor while the browser takes over what came from it. What can wait is left out until then. */
export const useIsDrawn = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
