import { useQuery } from '@tanstack/react-query'
import { errorText } from '#pwa/lib/errorText.ts'
import { configQuery, purchasesQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { LoginRequired } from '#pwa/ui/LoginRequired.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { HistoryCards } from './HistoryCards.tsx'
import { HISTORY_LIMIT, newestRows, purchaseRow } from './historyRows.ts'
import { HistoryTable } from './HistoryTable.tsx'

export function HistoryPage() {
  const user = useAuthUser()
  return (
    <Page
      title="Transaction History"
      {...(user && { lead: `The ${HISTORY_LIMIT} newest entries, newest first. Times are UTC.` })}
    >
      {user === null && <LoginRequired>Log in to see your transactions.</LoginRequired>}
      {user === undefined && <HistorySkeleton />}
      {user && <History />}
    </Page>
  )
}

function History() {
  const purchases = useQuery(purchasesQuery)
  const { data: config } = useQuery(configQuery)
  if (purchases.isPending) return <HistorySkeleton />
  if (purchases.isError) {
    return (
      <Notice
        tone="error"
        title="Your history could not be read"
        action={
          <Button variant="secondary" isPending={purchases.isFetching} onClick={() => void purchases.refetch()}>
            Try again
          </Button>
        }
      >
        {errorText(purchases.error, 'The server did not answer.')} Nothing of it is lost: it is kept on the server and on the
        chain.
      </Notice>
    )
  }

  const rows = newestRows(purchases.data.map(purchaseRow))
  if (rows.length === 0) {
    return (
      <Card className="py-12 text-center">
        <p className="mb-5 text-ink-10">No transaction history available.</p>
        <ButtonLink to="/purchase" variant="secondary">
          Buy nodes
        </ButtonLink>
      </Card>
    )
  }
  const explorers = config && { payment: config.paymentChain.explorerUrl, reward: config.rewardChain.explorerUrl }
  return (
    <>
      <HistoryTable rows={rows} explorers={explorers} />
      <HistoryCards rows={rows} explorers={explorers} />
    </>
  )
}

function HistorySkeleton() {
  return (
    <div role="status" className="flex flex-col gap-3">
      <span className="sr-only">Loading your history</span>
      {[1, 2, 3].map((row) => (
        <Skeleton key={row} className="h-32 rounded-card md:h-14" />
      ))}
    </div>
  )
}
