import { type ReactNode, Suspense } from 'react'
import { useIsHydrated } from '#pwa/lib/useIsHydrated.ts'

/** Content in its own chunk that loads after hydration. Until then the placeholder is shown. */
export function Deferred({ children, placeholder = null }: { children: ReactNode; placeholder?: ReactNode }) {
  return <Suspense fallback={placeholder}>{useIsHydrated() ? children : placeholder}</Suspense>
}
