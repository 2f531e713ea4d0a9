import { useLayoutEffect } from 'react'
import { markPressBusy } from './markPressBusy.ts'

/** While mounted, marks the last pressed button as busy: the chunk that it opens is loading. */
export function BusyPress() {
  useLayoutEffect(markPressBusy, [])
  return null
}
