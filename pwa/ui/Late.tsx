import { type ReactNode, Suspense } from 'react'
import { useIsDrawn } from '#pwa/lib/useIsDrawn.ts'

/** Content in its own chunk that loads after hydration. Until then the placeholder is shown. */
export function Late({ children, placeholder = null }: { children: ReactNode; placeholder?: ReactNode }) {
  return <Suspense fallback={placeholder}>{useIsDrawn() ? children : placeholder}</Suspense>
}
