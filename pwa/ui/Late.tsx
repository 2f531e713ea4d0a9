import { type ReactNode, Suspense } from 'react'
import { useIsDrawn } from '#pwa/lib/useIsDrawn.ts'

/** Something in a chunk of its own that is fetched once the page is hydrated. Until then the placeholder stands there. */
export function Late({ children, placeholder = null }: { children: ReactNode; placeholder?: ReactNode }) {
  return <Suspense fallback={placeholder}>{useIsDrawn() ? children : placeholder}</Suspense>
}
