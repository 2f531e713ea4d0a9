import { useQuery } from '@tanstack/react-query'
import { configQuery } from '#pwa/lib/queries.ts'

/** The address of our support. */
export function SupportLink() {
  const { data: config } = useQuery(configQuery)
  if (!config) return null
  return (
    <a
      href={`mailto:${config.supportEmail}`}
      translate="no"
      className="text-accent underline underline-offset-4 wrap-anywhere hover:text-accent-strong"
    >
      {config.supportEmail}
    </a>
  )
}
