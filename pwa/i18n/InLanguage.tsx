import { Fragment, type ReactNode, useSyncExternalStore } from 'react'
import { useLanguage } from './language.ts'

const readLanguage = () => useLanguage.getState().language

/** Draws everything inside it anew when another language is chosen. */
export function InLanguage({ children }: { children: ReactNode }) {
  // Not by the store's own hook, which is hydrated in the first language whatever the server has drawn.
  return <Fragment key={useSyncExternalStore(useLanguage.subscribe, readLanguage, readLanguage)}>{children}</Fragment>
}
