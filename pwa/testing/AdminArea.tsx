import { useLocation } from 'react-router-dom'
import { AdminLoginPage, AdminPanelPage } from '#pwa/admin/AdminArea.tsx'

/** The two pages of the back office, without the rest of the app. */
export const AdminArea = () => (useLocation().pathname === '/admin1' ? <AdminLoginPage /> : <AdminPanelPage />)
