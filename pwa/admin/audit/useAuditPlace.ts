import { useSearch } from '#pwa/lib/useSearch.ts'

export interface AuditPlace {
  /** Empty: all actions. */
  action: string
  /** Part of the actor's name; empty: all actors. */
  actor: string
  page: number
}

/** Filter and page of the audit log. Kept in the address for reload, Back, and sharing. */
export function useAuditPlace(): AuditPlace & { go: (next: Partial<AuditPlace>) => void } {
  const [params, ask] = useSearch()
  const asked = params.get('page') ?? ''
  const place: AuditPlace = {
    action: params.get('action') ?? '',
    actor: params.get('actor') ?? '',
    page: /^[1-9]\d{0,6}$/.test(asked) ? Number(asked) : 1,
  }
  return {
    ...place,
    // A new filter starts at page 1.
    go: (next) => {
      const { action, actor, page } = { ...place, page: 1, ...next }
      const changed = new URLSearchParams(params)
      for (const [name, value] of Object.entries({ action, actor, page: page > 1 ? String(page) : '' }))
        if (value) changed.set(name, value)
        else changed.delete(name)
      ask(changed)
    },
  }
}
