import { Fragment, type ReactNode } from 'react'
import { useCurrentLanguage } from './language.ts'

/** Draws everything inside it anew when another language is chosen. */
export function InLanguage({ children }: { children: ReactNode }) {
  return <Fragment key={useCurrentLanguage()}>{children}</Fragment>
}
