/** What somebody who is not logged in is likely to press next, by the place they are at. */
const next: Record<string, () => Promise<unknown>> = {
  '/': () => import('#pwa/features/purchase/PurchasePage.tsx'),
  '/purchase': () => import('#pwa/features/auth/AuthPage.tsx'),
  '/auth': () => import('#pwa/features/dashboard/DashboardPage.tsx'),
  '/about': () => import('#pwa/features/purchase/PurchasePage.tsx'),
}

const loadSidePanel = () => import('./SidePanel.tsx')

/** As the bar decides between its links and the menu of phones. */
const isDesk = () => matchMedia('(width >= 48rem)').matches

const dialogs = [() => import('#pwa/features/auth/LoginDoor.tsx'), () => import('#pwa/features/wallet/WalletSheet.tsx')]

/**
 * Fetches, one after the other, what the next press of a visitor needs. Whatever cannot be fetched is fetched by that press; so are
 * the menus of a desktop for language and theme, which few open.
 */
export const prefetchForVisitor = (pathname: string): Promise<void> =>
  fetchAll([...dialogs, next[pathname], ...(isDesk() ? [] : [loadSidePanel])])

/** The same for somebody who is logged in, whose pages bring more along. */
export const prefetchForMember = (): Promise<void> => fetchAll([isDesk() ? () => import('./UserChoices.tsx') : loadSidePanel])

async function fetchAll(chunks: readonly ((() => Promise<unknown>) | undefined)[]): Promise<void> {
  for (const load of chunks) await load?.().catch(() => undefined)
  performance.mark('prefetched')
}
