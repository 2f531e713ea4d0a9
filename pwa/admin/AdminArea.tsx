// The only door into this folder: what is loaded through one file is one chunk, and nobody else downloads it.
export { AdminLoginPage } from './access/AdminLoginPage.tsx'
export { AdminName } from './access/AdminName.tsx'
export { AdminPanelPage } from './panel/AdminPanelPage.tsx'
