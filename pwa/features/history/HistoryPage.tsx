import { Page } from '#pwa/ui/Page.tsx'

export function HistoryPage() {
  return <Page title="Transaction History">{null}</Page>
}
