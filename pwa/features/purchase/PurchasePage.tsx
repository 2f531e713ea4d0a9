import { Page } from '#pwa/ui/Page.tsx'

export function PurchasePage() {
  return <Page title="Node Purchase">{null}</Page>
}
