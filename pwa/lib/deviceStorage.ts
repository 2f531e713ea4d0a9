/** A text that this device keeps under a key; null if there is none. Some in-app browsers deny storage: nothing is kept there. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Keeps the text, or nothing if null. Does nothing where storage is denied or full. */
export function store(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // As if the device had forgotten it.
  }
}
