import { t } from '#pwa/i18n/t.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Page } from '#pwa/ui/Page.tsx'

export function NotFoundPage() {
  return (
    <Page title={t('404 Page Not Found')} isNarrow lead={t('Did you forget to add the page to the router?')}>
      <ButtonLink to="/" variant="secondary">
        {t('Back to the dashboard')}
      </ButtonLink>
    </Page>
  )
}
