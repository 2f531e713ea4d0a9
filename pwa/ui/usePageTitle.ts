import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { configQuery } from '#pwa/lib/queries.ts'

/** Sets the title of the browser tab, which screen readers announce. */
export function usePageTitle(title: string): void {
  // Reads the cached configuration without a request of its own.
  const { data: config } = useQuery({ ...configQuery, enabled: false })
  useEffect(() => {
    document.title = config ? `${title} · ${config.brandName}` : title
  }, [title, config])
}
