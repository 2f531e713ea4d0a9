import { useLayoutEffect } from 'react'
import { markPressBusy } from './markPressBusy.ts'

/** Marks what was pressed last as busy, as long as this stands: what the press opens comes in a chunk of its own. */
export function BusyPress() {
  useLayoutEffect(markPressBusy, [])
  return null
}
