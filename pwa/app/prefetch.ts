/** The page that a visitor is likely to open next, by current path. */
const next: Record<string, () => Promise<unknown>> = {
  '/': () => import('#pwa/features/purchase/PurchasePage.tsx'),
  '/purchase': () => import('#pwa/features/auth/AuthPage.tsx'),
  '/auth': () => import('#pwa/features/dashboard/DashboardPage.tsx'),
  '/about': () => import('#pwa/features/purchase/PurchasePage.tsx'),
}

const loadSidePanel = () => import('./SidePanel.tsx')

/** The same breakpoint as the top bar's. */
const isDesk = () => matchMedia('(width >= 48rem)').matches

const dialogs = [() => import('#pwa/features/auth/LoginHost.tsx'), () => import('#pwa/features/wallet/WalletSheet.tsx')]

/**
 * Prefetches, one after another, the chunks that a visitor's next press needs. A chunk that fails is fetched on that press, as
 * are the desktop menus for language and theme, which few visitors open.
 */
export const prefetchForVisitor = (pathname: string): Promise<void> =>
  fetchAll([...dialogs, next[pathname], ...(isDesk() ? [] : [loadSidePanel])])

/** The same for logged-in users, whose pages load more chunks. */
export const prefetchForMember = (): Promise<void> => fetchAll([isDesk() ? () => import('./UserChoices.tsx') : loadSidePanel])

async function fetchAll(chunks: readonly ((() => Promise<unknown>) | undefined)[]): Promise<void> {
  for (const load of chunks) await load?.().catch(() => undefined)
  performance.mark('prefetched')
}
