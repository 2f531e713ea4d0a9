import type { ReactNode } from 'react'
import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'

/** A page that the seller serves is as honest as the seller; a file from elsewhere is not the seller's. */
export function HowToVerify({ genesis }: { genesis: string | undefined }) {
  const { origin } = location
  const commands = `curl -O ${origin}/register/verify.mjs\nnode verify.mjs all --site ${origin}${genesis ? ` --genesis ${genesis}` : ''}`
  return (
    <Card>
      <CardHeader title={t('Check it without this page')} />
      <p className="text-14 text-pretty text-ink-10">
        <T
          text="This page comes from the seller. For an independent check, run <file>verify.mjs</file> with Node 20 or later, and name a blockchain server that you trust with --rpc. The register has the fingerprint of the file, so you can get it from anyone. <format>The format</format> describes every byte."
          file={(inside) => <FileLink to="verify.mjs">{inside}</FileLink>}
          format={(inside) => <FileLink to="format.md">{inside}</FileLink>}
        />
      </p>
      <div className="mt-3 flex items-start gap-1 rounded-small bg-ink-2 pl-3">
        <pre translate="no" className="exact min-w-0 flex-1 py-3 text-12 whitespace-pre-wrap text-ink-11">
          {commands}
        </pre>
        <CopyButton value={commands} what={t('commands')} />
      </div>
    </Card>
  )
}

const FileLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <a href={`/register/${to}`} className="text-accent underline underline-offset-4 hover:text-accent-strong">
    {children}
  </a>
)
