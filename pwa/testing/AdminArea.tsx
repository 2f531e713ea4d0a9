import { useLocation } from 'react-router-dom'
import { AdminLoginPage, AdminPanelPage, PersonPage } from '#pwa/admin/AdminArea.tsx'

/** The pages of the back office, without the rest of the app. */
export function AdminArea() {
  const { pathname } = useLocation()
  if (pathname === '/admin1') return <AdminLoginPage />
  return pathname.startsWith('/admin-panel/users/') ? <PersonPage /> : <AdminPanelPage />
}
