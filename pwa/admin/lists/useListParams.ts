import { useSearch } from '#pwa/lib/useSearch.ts'

/** Search text, status and page of a list. Kept in the address for reload, Back and sharing. */
export function useListParams<Status extends string = never>(statuses: readonly Status[] = []) {
  const [params, setParams] = useSearch()
  const email = params.get('email') ?? ''
  const status = statuses.find((one) => one === params.get('status')) ?? null
  const page = /^[1-9]\d{0,6}$/.test(params.get('page') ?? '') ? Number(params.get('page')) : 1

  function go(next: { email?: string; status?: Status | null; page: number }) {
    const place = { email, status, ...next }
    const changed = new URLSearchParams(params)
    for (const [name, value] of Object.entries({ ...place, page: place.page > 1 ? String(place.page) : '' }))
      if (value) changed.set(name, value)
      else changed.delete(name)
    setParams(changed)
  }

  return {
    /** Empty: no search. */
    email,
    /** Null: every status. */
    status,
    page,
    /** Starts at page 1; an empty text shows the whole list. */
    search: (text: string) => go({ email: text.trim(), page: 1 }),
    /** Starts at page 1. */
    filter: (next: Status | null) => go({ status: next, page: 1 }),
    goTo: (next: number) => go({ page: next }),
  }
}
