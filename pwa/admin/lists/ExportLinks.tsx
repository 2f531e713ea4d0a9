import type { ReactNode } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { t } from '#pwa/i18n/t.ts'
import { buttonClass } from '#pwa/ui/buttonClass.ts'
import { Download } from '#pwa/ui/icons.ts'

type Values = Readonly<Record<string, string | Date | bigint | undefined>>

interface ExportLinksProps {
  path: string
  /** What the list is narrowed to: the file has exactly its rows, of all pages. */
  query: Values
  /** The label of the spreadsheet. */
  label: ReactNode
  title?: string
}

/** Opened in their own tab, because in-app browsers of wallets cannot download otherwise. */
export const ExportLinks = ({ path, query, label, title }: ExportLinksProps) => (
  <>
    <a
      href={exportPath(path, query)}
      target="_blank"
      rel="noreferrer"
      title={title}
      className={buttonClass({ variant: 'secondary', className: 'max-sm:flex-1' })}
    >
      <Download size={16} aria-hidden /> {label}
    </a>
    <a
      href={exportPath(path, { ...query, format: 'csv' })}
      target="_blank"
      rel="noreferrer"
      aria-label={t('Download as CSV')}
      title={t('Download as CSV')}
      className={buttonClass({ variant: 'secondary' })}
    >
      CSV
    </a>
  </>
)

export function exportPath(path: string, query: Values): string {
  const wire = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '')
      wire.set(name, value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? formatAmount(value) : value)
  return wire.size > 0 ? `${path}?${wire}` : path
}
