import { Fragment, type ReactNode } from 'react'
import { useCurrentLanguage } from './language.ts'

/** Renders its children anew when the language changes. */
export function InLanguage({ children }: { children: ReactNode }) {
  return <Fragment key={useCurrentLanguage()}>{children}</Fragment>
}
