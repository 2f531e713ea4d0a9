import type { ReactNode } from 'react'
import { useCurrentLanguage } from './language.ts'

/**
 * Renders everything anew when the language changes, and keeps its state: what was typed stays. A part that is memoized, or an
 * element kept from an earlier render, does not follow by itself.
 */
export function InLanguage({ render }: { render: () => ReactNode }) {
  useCurrentLanguage()
  return render()
}
