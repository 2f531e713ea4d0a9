import { useSearch } from '#pwa/lib/useSearch.ts'

/** Search text and page of a list. Kept in the address for reload and Back. */
export function useListParams() {
  const [params, setParams] = useSearch()
  const email = params.get('email') ?? ''
  const page = /^[1-9]\d{0,6}$/.test(params.get('page') ?? '') ? Number(params.get('page')) : 1

  function go(next: { email: string; page: number }) {
    const changed = new URLSearchParams(params)
    changed.delete('email')
    changed.delete('page')
    if (next.email) changed.set('email', next.email)
    if (next.page > 1) changed.set('page', String(next.page))
    setParams(changed)
  }

  return {
    /** Empty: no search. */
    email,
    page,
    /** Starts at page 1; an empty text shows the whole list. */
    search: (text: string) => go({ email: text.trim(), page: 1 }),
    goTo: (next: number) => go({ email, page: next }),
  }
}
