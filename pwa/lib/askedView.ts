const STORAGE_KEY = 'admin_asked_view'

/** Keeps which view of the panel was asked for, while its person logs in again. */
export function rememberAskedView(search: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, search)
  } catch {
    // Then the login leads to the first view.
  }
}

/** The query of the view that was asked for; empty if none was. It is told once. */
export function takeAskedView(): string {
  try {
    const search = sessionStorage.getItem(STORAGE_KEY) ?? ''
    sessionStorage.removeItem(STORAGE_KEY)
    return search
  } catch {
    return ''
  }
}
