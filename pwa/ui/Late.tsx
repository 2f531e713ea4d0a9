import { type ReactNode, Suspense } from 'react'
import { useIsDrawn } from '#pwa/lib/useIsDrawn.ts'

/** Something in a chunk of its own, fetched once the page stands. Something else of its size holds its place until then. */
export const Late = ({ children, placeholder = null }: { children: ReactNode; placeholder?: ReactNode }) =>
  useIsDrawn() ? <Suspense fallback={placeholder}>{children}</Suspense> : placeholder
