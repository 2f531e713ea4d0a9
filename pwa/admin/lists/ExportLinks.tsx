import type { ReactNode } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { t } from '#pwa/i18n/t.ts'
import { buttonClass } from '#pwa/ui/buttonClass.ts'
import { Download } from '#pwa/ui/icons.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { ForRole } from '../ForRole.tsx'

type Values = Readonly<Record<string, string | Date | bigint | undefined>>

interface ExportLinksProps {
  call: Pick<Endpoint, 'path' | 'roles'>
  /** What the list is narrowed to: the file has exactly its rows, of all pages. */
  query: Values
  /** The label of the spreadsheet. */
  label: ReactNode
  title?: string
}

/** For those who may have everybody's data in one file. Opened in their own tab, because in-app browsers of wallets cannot download otherwise. */
export const ExportLinks = ({ call, query, label, title }: ExportLinksProps) => (
  <ForRole of={call}>
    <a
      href={exportPath(call.path, query)}
      target="_blank"
      rel="noreferrer"
      title={title}
      className={buttonClass({ variant: 'secondary', className: 'max-sm:flex-1' })}
    >
      <Download size={16} aria-hidden /> {label}
    </a>
    <a
      href={exportPath(call.path, { ...query, format: 'csv' })}
      target="_blank"
      rel="noreferrer"
      aria-label={t('Download as CSV')}
      title={t('Download as CSV')}
      className={buttonClass({ variant: 'secondary' })}
    >
      CSV
    </a>
  </ForRole>
)

export function exportPath(path: string, query: Values): string {
  const wire = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '')
      wire.set(name, value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? formatAmount(value) : value)
  return wire.size > 0 ? `${path}?${wire}` : path
}
