const STORAGE_KEY = 'admin_asked_view'
const PANEL = /^\/admin-panel([/?]|$)/

/** Stores which page of the back office was requested while the administrator logs in again. */
export function storeRequestedView({ pathname, search }: { pathname: string; search: string }): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, pathname + search)
  } catch {
    // Then the login leads to the first view.
  }
}

/** The requested page with its query string; the panel if there is none. Returned once. */
export function takeRequestedView(): string {
  try {
    const view = sessionStorage.getItem(STORAGE_KEY) ?? ''
    sessionStorage.removeItem(STORAGE_KEY)
    return PANEL.test(view) ? view : '/admin-panel'
  } catch {
    return '/admin-panel'
  }
}
