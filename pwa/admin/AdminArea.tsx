import { useLocation } from 'react-router-dom'
import { AdminLoginPage } from './access/AdminLoginPage.tsx'
import { AdminPanelPage } from './panel/AdminPanelPage.tsx'

// The only door into this folder: what is loaded through one file is one chunk, and nobody else downloads it.
export { AdminName } from './access/AdminName.tsx'

export const AdminArea = () => (useLocation().pathname === '/admin1' ? <AdminLoginPage /> : <AdminPanelPage />)
