import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Page } from '#pwa/ui/Page.tsx'

export function NotFoundPage() {
  return (
    <Page title="404 Page Not Found" isNarrow lead="Did you forget to add the page to the router?">
      <ButtonLink to="/" variant="secondary">
        Back to the dashboard
      </ButtonLink>
    </Page>
  )
}
