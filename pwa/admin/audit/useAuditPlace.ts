import { useSearch } from '#pwa/lib/useSearch.ts'

export interface AuditPlace {
  /** Empty: every action. */
  action: string
  /** Part of whoever did it; empty: everybody. */
  actor: string
  page: number
}

/** Which entries one looks at. Kept in the address, so that a reload and the way back lead there, and it can be sent to a colleague. */
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
    // Another filter begins at its first page.
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
