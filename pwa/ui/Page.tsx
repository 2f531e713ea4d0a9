import clsx from 'clsx'
import { type ReactNode, useState } from 'react'
import { useIsHydrated } from '#pwa/lib/useIsHydrated.ts'
import { usePageTitle } from './usePageTitle.ts'

interface PageProps {
  /** Title of the browser tab, and heading unless the page has its own. */
  title: string
  heading?: ReactNode
  lead?: ReactNode
  /** A single reading column instead of the whole width. */
  isNarrow?: boolean
  /** As narrow as a form with few fields. */
  isSlim?: boolean
  children: ReactNode
}

/** The layout of every page: title, heading, margins. */
export function Page({ title, heading, lead, isNarrow = false, isSlim = false, children }: PageProps) {
  usePageTitle(title)
  // Server-rendered content does not fade in.
  const [isEntered] = useState(useIsHydrated())
  return (
    <main id="content" className={clsx('page py-6 outline-none desk:py-10', isEntered && 'animate-appear')}>
      <div className={clsx(isSlim ? 'mx-auto max-w-[440px]' : isNarrow && 'mx-auto max-w-[640px]')}>
        {heading !== null && (
          <header className="mb-6 desk:mb-8">
            <h1 className="text-28 font-strong text-balance">{heading ?? title}</h1>
            {lead && <p className="mt-2 text-ink-10 text-pretty">{lead}</p>}
          </header>
        )}
        {children}
      </div>
    </main>
  )
}
