import { readFromTab, storeInTab } from './deviceStorage.ts'

const STORAGE_KEY = 'admin_asked_view'
const PANEL = /^\/admin-panel([/?]|$)/

/** Stores which page of the back office was requested while the administrator logs in again. */
export const storeRequestedView = ({ pathname, search }: { pathname: string; search: string }): void =>
  storeInTab(STORAGE_KEY, pathname + search)

/** The requested page with its query string; the panel if there is none. Returned once. */
export function takeRequestedView(): string {
  const view = readFromTab(STORAGE_KEY) ?? ''
  storeInTab(STORAGE_KEY, null)
  return PANEL.test(view) ? view : '/admin-panel'
}
