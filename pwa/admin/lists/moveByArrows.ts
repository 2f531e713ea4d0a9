import type { KeyboardEvent } from 'react'

const controlsOf = (row: Element): HTMLElement[] => [...row.querySelectorAll<HTMLElement>('a[href], button:not(:disabled)')]

/** The arrow keys move between rows and stay in the column: from an action to the same action of the next row. */
export function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const row = (event.target as Element).closest('tr')
  const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling
  if (!row || !next) return
  // Counted from the end: the actions are last, and rows differ in what precedes them.
  const place = controlsOf(row).length - controlsOf(row).indexOf(event.target as HTMLElement)
  const controls = controlsOf(next)
  controls[Math.max(0, controls.length - place)]?.focus()
  event.preventDefault()
}

/** Moves from the search field to the actions of the first row. */
export function focusFirstRow(event: KeyboardEvent<HTMLElement>): void {
  const row = event.currentTarget.closest('[role="tabpanel"]')?.querySelector('tbody tr')
  const control = row && controlsOf(row).at(-1)
  if (!control) return
  control.focus()
  event.preventDefault()
}
