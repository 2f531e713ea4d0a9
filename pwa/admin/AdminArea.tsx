// The only entry to this folder, so that the back office is one chunk that nobody else downloads.
export { AdminLoginPage } from './access/AdminLoginPage.tsx'
export { AdminName } from './access/AdminName.tsx'
export { PersonPage } from './person/PersonPage.tsx'
export { AdminPanelPage } from './panel/AdminPanelPage.tsx'
