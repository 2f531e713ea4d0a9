import { WalletSheet } from '#pwa/features/wallet/WalletButton.tsx'
import { loadPage } from './pages.tsx'
import { SidePanel } from './SideMenu.tsx'
import { LoginHost } from './TopBar.tsx'
import { UserChoices } from './UserMenu.tsx'

/** The page that a visitor is likely to open next, by current path. */
const next: Record<string, string> = { '/': '/purchase', '/purchase': '/auth', '/auth': '/', '/about': '/purchase' }

/** The same breakpoint as the top bar's. */
const isDesk = () => matchMedia('(width >= 48rem)').matches

/**
 * Prefetches, one after another, the chunks that a visitor's next press needs. A chunk that fails is fetched on that press, as
 * are the desktop menus for language and theme, which few visitors open.
 */
export function prefetchForVisitor(pathname: string): Promise<void> {
  const loadNextPage = () => loadPage(next[pathname] ?? pathname)
  return fetchAll(
    isDesk()
      ? [LoginHost.preload, WalletSheet.preload, loadNextPage]
      : [SidePanel.preload, WalletSheet.preload, loadNextPage, LoginHost.preload],
  )
}

/** The same for logged-in users, whose pages load more chunks. */
export const prefetchForMember = (): Promise<void> => fetchAll([isDesk() ? UserChoices.preload : SidePanel.preload])

async function fetchAll(loads: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const load of loads) await load().catch(() => undefined)
  performance.mark('prefetched')
}
