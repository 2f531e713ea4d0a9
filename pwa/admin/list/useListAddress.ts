import { useSearchParams } from 'react-router-dom'

/** More than any list has: what somebody writes into the address must not be refused by the server. */
const LAST_PAGE = 1_000_000

/** Which part of a list is shown. It is kept in the address, so that it can be reloaded, gone back to and sent to a colleague. */
export function useListAddress() {
  const [search, setSearch] = useSearchParams()
  const asked = Number(search.get('page') ?? 1)

  function change(next: Record<'page' | 'email', string>) {
    setSearch((current) => {
      const changed = new URLSearchParams(current)
      for (const [key, value] of Object.entries(next)) {
        if (value) changed.set(key, value)
        else changed.delete(key)
      }
      return changed
    })
  }

  const email = search.get('email') ?? ''
  return {
    page: Number.isInteger(asked) && asked > 0 ? Math.min(asked, LAST_PAGE) : 1,
    email,
    openPage: (page: number) => change({ page: page > 1 ? String(page) : '', email }),
    /** Another search begins at its first page. */
    searchFor: (text: string) => change({ page: '', email: text }),
  }
}
