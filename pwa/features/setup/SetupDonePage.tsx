import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Page } from '#pwa/ui/Page.tsx'

export function SetupDonePage() {
  return (
    <Page
      title="Administration"
      isNarrow
      lead="This installation is set up. Its administrator account is kept safe and waits for the back office."
    >
      <ButtonLink to="/">Go to the dashboard</ButtonLink>
    </Page>
  )
}
