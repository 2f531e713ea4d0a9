import { Fragment, type ReactNode } from 'react'
import { useLanguage } from './language.ts'

/** Draws everything inside it anew when another language is chosen. */
export function InLanguage({ children }: { children: ReactNode }) {
  return <Fragment key={useLanguage(({ language }) => language)}>{children}</Fragment>
}
