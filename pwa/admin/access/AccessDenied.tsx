import { ShieldX } from '#pwa/ui/icons.ts'
import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { Page } from '#pwa/ui/Page.tsx'

/** Replaces the panel for users who are not administrators or whose IP address is not allowed. */
export function AccessDenied({ children }: { children: ReactNode }) {
  return (
    <Page title={t('Access denied')} heading={null} isNarrow>
      <Card className="flex flex-col items-center py-10 text-center">
        <span className="mb-4 grid size-12 place-items-center rounded-full bg-red-soft text-red">
          <ShieldX size={20} aria-hidden />
        </span>
        <h1 className="text-20 font-strong text-balance">{t('Access denied – admin privileges required')}</h1>
        <p className="mt-1 mb-5 text-ink-10">{children}</p>
        <ButtonLink to="/admin1">{t('Administrator login')}</ButtonLink>
      </Card>
    </Page>
  )
}
