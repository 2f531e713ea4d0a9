import { createBrowserRouter, type RouteObject, replace } from 'react-router-dom'
import { loadPart } from '#pwa/i18n/language.ts'
import { ErrorPage } from './ErrorPage.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'
import { PageSpinner } from './PageSpinner.tsx'
import { Shell } from './Shell.tsx'

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <ErrorPage />,
    HydrateFallback: PageSpinner,
    children: [
      {
        errorElement: <ErrorPage />,
        children: [
          {
            index: true,
            lazy: async () => ({ Component: (await import('#pwa/features/dashboard/DashboardPage.tsx')).DashboardPage }),
          },
          {
            path: 'purchase',
            lazy: async () => ({ Component: (await import('#pwa/features/purchase/PurchasePage.tsx')).PurchasePage }),
          },
          {
            path: 'history',
            lazy: async () => ({ Component: (await import('#pwa/features/history/HistoryPage.tsx')).HistoryPage }),
          },
          {
            path: 'security',
            lazy: async () => ({ Component: (await import('#pwa/features/security/SecurityPage.tsx')).SecurityPage }),
          },
          { path: 'auth', lazy: async () => ({ Component: (await import('#pwa/features/auth/AuthPage.tsx')).AuthPage }) },
          { path: 'setup', lazy: async () => ({ Component: (await import('#pwa/features/setup/SetupPage.tsx')).SetupPage }) },
          { path: 'admin-login', loader: () => replace('/admin1') },
          { path: 'admin1', lazy: loadOffice },
          { path: 'admin-panel', lazy: loadOffice },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]

/** With its words. */
async function loadOffice() {
  const [{ AdminArea }] = await Promise.all([import('#pwa/admin/AdminArea.tsx'), loadPart('office')])
  return { Component: AdminArea }
}

export const createRouter = () => createBrowserRouter(routes)
