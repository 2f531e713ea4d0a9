import { useEffect, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { buttonClass } from '#pwa/ui/buttonClass.ts'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { Page } from '#pwa/ui/Page.tsx'

/** Shown for a page that failed to render: what happened, what is safe, what to do, and a reference for support. */
export function ErrorPage({ error }: { error: unknown }) {
  const [reference] = useState(
    () => `${new Date().toISOString().slice(0, 16).replace(/\D/g, '')}-${crypto.randomUUID().slice(0, 6)}`,
  )
  useEffect(() => console.error(`Reference ${reference}`, error), [error, reference])

  return (
    <Page title={t('This page could not be shown')} isNarrow>
      <p className="text-ink-10">
        {t(
          'Something went wrong while showing this page. The fault itself sent or changed nothing. If you had just confirmed something, look at your history before you repeat it. Your nodes, your balance and any payment in progress are safe on the server and on the chain.',
        )}
      </p>
      <div className="mt-6 flex flex-wrap gap-2">
        <Button onClick={() => location.reload()}>{t('Reload this page')}</Button>
        <a href="/" className={buttonClass({ variant: 'secondary' })}>
          {t('Back to the dashboard')}
        </a>
      </div>
      <div className="mt-8 flex items-center gap-2 border-t border-ink-5 pt-3 text-14 text-ink-9">
        <span>{t('Reference')}</span>
        <span translate="no" className="exact text-ink-11">
          {reference}
        </span>
        <CopyButton value={reference} what={t('reference')} />
      </div>
    </Page>
  )
}
