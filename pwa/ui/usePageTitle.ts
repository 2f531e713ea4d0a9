import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { configQuery } from '#pwa/lib/queries.ts'

/** Sets the title of the browser tab, which screen readers announce. */
export function usePageTitle(title: string): void {
  // Reads the cached configuration without a request of its own.
  const { data: config } = useQuery({ ...configQuery, enabled: false })
  useEffect(() => {
    document.title = config ? `${title} · ${config.brandName}` : title
    // The name below the icon that an iPhone adds to its home screen.
    if (config) document.querySelector('meta[name=apple-mobile-web-app-title]')?.setAttribute('content', config.brandName)
  }, [title, config])
}
