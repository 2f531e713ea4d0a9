const STORAGE_KEY = 'admin_asked_view'

/** Stores which view of the panel was requested while the administrator logs in again. */
export function storeRequestedView(search: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, search)
  } catch {
    // Then the login leads to the first view.
  }
}

/** The query string of the requested view, empty if none. Returned once. */
export function takeRequestedView(): string {
  try {
    const search = sessionStorage.getItem(STORAGE_KEY) ?? ''
    sessionStorage.removeItem(STORAGE_KEY)
    return search
  } catch {
    return ''
  }
}
