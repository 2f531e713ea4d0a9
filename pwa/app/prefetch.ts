/** What somebody who is not logged in is likely to press next, by the place they are at. */
const next: Record<string, () => Promise<unknown>> = {
  '/': () => import('#pwa/features/purchase/PurchasePage.tsx'),
  '/purchase': () => import('#pwa/features/auth/AuthPage.tsx'),
  '/auth': () => import('#pwa/features/dashboard/DashboardPage.tsx'),
  '/about': () => import('#pwa/features/purchase/PurchasePage.tsx'),
}

/** The dialogs of the bar. Its menus are fetched with it. */
const dialogs = [() => import('#pwa/features/auth/LoginDoor.tsx'), () => import('#pwa/features/wallet/WalletSheet.tsx')]

/** Fetches, one after the other, what the next press of a visitor needs. Whatever cannot be fetched is fetched by that press. */
export async function prefetch(pathname: string): Promise<void> {
  for (const load of [...dialogs, next[pathname]]) await load?.().catch(() => undefined)
  performance.mark('prefetched')
}
