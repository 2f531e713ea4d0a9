/** Some in-app browsers deny storage: nothing is kept there, and reading or writing throws nothing. */

/** A text that this device keeps under a key; null if there is none. */
export const readStored = (key: string): string | null => read(() => localStorage, key)

/** Keeps the text, or nothing if null. */
export const store = (key: string, value: string | null): void => write(() => localStorage, key, value)

/** A text that this tab keeps under a key, over a reload too; null if there is none. */
export const readFromTab = (key: string): string | null => read(() => sessionStorage, key)

/** Keeps the text until the tab is closed, or nothing if null. */
export const storeInTab = (key: string, value: string | null): void => write(() => sessionStorage, key, value)

function read(storage: () => Storage, key: string): string | null {
  try {
    return storage().getItem(key)
  } catch {
    return null
  }
}

function write(storage: () => Storage, key: string, value: string | null): void {
  try {
    if (value === null) storage().removeItem(key)
    else storage().setItem(key, value)
  } catch {
    // Denied or full: as if it had been forgotten.
  }
}
