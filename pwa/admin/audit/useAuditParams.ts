import { useSearch } from '#pwa/lib/useSearch.ts'
import { readDay, readPage } from '../lists/readParam.ts'

export interface AuditParams {
  /** Empty: all actions. */
  action: string
  /** Part of the actor's name; empty: all actors. */
  actor: string
  /** The email address of the account concerned; empty: all. */
  person: string
  /** Days, YYYY-MM-DD, both included; empty: no limit. */
  from: string
  to: string
  page: number
}

/** Filter and page of the audit log. Kept in the address for reload, Back, and sharing. */
export function useAuditParams(): AuditParams & { go: (next: Partial<AuditParams>) => void } {
  const [params, setParams] = useSearch()
  const place: AuditParams = {
    action: params.get('action') ?? '',
    actor: params.get('actor') ?? '',
    person: params.get('person') ?? '',
    from: readDay(params.get('from')),
    to: readDay(params.get('to')),
    page: readPage(params.get('page')),
  }
  return {
    ...place,
    // A new filter starts at page 1.
    go: (next) => {
      const { page, ...filter } = { ...place, page: 1, ...next }
      const changed = new URLSearchParams(params)
      for (const [name, value] of Object.entries({ ...filter, page: page > 1 ? String(page) : '' }))
        if (value) changed.set(name, value)
        else changed.delete(name)
      setParams(changed)
    },
  }
}
