import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { configQuery } from '#pwa/lib/queries.ts'

/** Names the page in the browser's tab and history, and to a screen reader. */
export function usePageTitle(title: string): void {
  // The shell has asked for the configuration already; a title is no reason to ask again.
  const { data: config } = useQuery({ ...configQuery, enabled: false })
  useEffect(() => {
    document.title = config ? `${title} · ${config.brandName}` : title
  }, [title, config])
}
