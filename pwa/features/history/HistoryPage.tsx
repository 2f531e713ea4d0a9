import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { authUserQuery, configQuery } from '#pwa/lib/queries.ts'
import { AccountError } from '#pwa/ui/AccountError.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { DemoChainsHint } from '#pwa/ui/DemoChainsHint.tsx'
import { LoginRequired } from '#pwa/ui/LoginRequired.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { OpenWithdrawals } from '../withdrawal/OpenWithdrawals.tsx'
import { HistoryActions } from './HistoryActions.tsx'
import { HistoryCards } from './HistoryCards.tsx'
import { HistorySummary } from './HistorySummary.tsx'
import { HistoryTable } from './HistoryTable.tsx'
import { PaymentsReceived } from './PaymentsReceived.tsx'
import type { Explorers } from './TransactionLink.tsx'
import { type History, useHistory } from './useHistory.ts'
import { walkBalances } from './walkBalances.ts'

/** Maximum number of rows. */
const HISTORY_LIMIT = 20

export function HistoryPage() {
  const { data: user, isPending } = useQuery(authUserQuery)
  return (
    <Page
      title={t('Transaction History')}
      {...(user && { lead: t('Your newest entries, at most {limit}. Times are UTC.', { limit: HISTORY_LIMIT }) })}
    >
      <div className="not-empty:mb-6">
        <AccountError />
      </div>
      {isPending && <HistorySkeleton />}
      {user === null && <LoginRequired>{t('Log in to see your transactions.')}</LoginRequired>}
      {user && <HistoryOfUser />}
    </Page>
  )
}

function HistoryOfUser() {
  const { history, error, isFetching, retry } = useHistory()
  const { data: config } = useQuery(configQuery)
  if (error) {
    return (
      <Notice
        tone="error"
        title={t("Couldn't load your history")}
        action={
          <Button variant="secondary" isPending={isFetching} onClick={retry}>
            {t('Try again')}
          </Button>
        }
      >
        {errorText(error, t('The server did not respond.'))} {t('Nothing is lost. It is safe on the server and on the chain.')}
      </Notice>
    )
  }
  if (!history) return <HistorySkeleton />
  const explorers = config && { payment: config.paymentChain.explorerUrl, reward: config.rewardChain.explorerUrl }
  return (
    <>
      <HistorySummary history={history} />
      <HistoryActions />
      <OpenWithdrawals />
      <HistoryEntries history={history} explorers={explorers} />
      {history.entries.length > 0 && (
        <div className="mt-3">
          <DemoChainsHint />
        </div>
      )}
      <PaymentsReceived explorers={explorers} />
    </>
  )
}

function HistoryEntries({ history: { balance, entries }, explorers }: { history: History; explorers: Explorers | undefined }) {
  if (entries.length === 0) {
    return (
      <Card className="py-12 text-center">
        <p className="mb-5 text-ink-10">{t('No transaction history available.')}</p>
        <ButtonLink to="/purchase" variant="secondary">
          {t('Buy nodes')}
        </ButtonLink>
      </Card>
    )
  }
  const rows = walkBalances(entries, balance.availableXcr).slice(0, HISTORY_LIMIT)
  return (
    <>
      <HistoryTable rows={rows} explorers={explorers} />
      <HistoryCards rows={rows} explorers={explorers} />
    </>
  )
}

function HistorySkeleton() {
  return (
    <div role="status">
      <span className="sr-only">{t('Loading your history')}</span>
      <div className="mb-6 grid gap-2 md:grid-cols-3 md:gap-4 desk:mb-8">
        {[1, 2, 3].map((card) => (
          <Skeleton key={card} className="h-18 rounded-card desk:h-36" />
        ))}
      </div>
      <div className="flex flex-col gap-3">
        {[1, 2, 3].map((row) => (
          <Skeleton key={row} className="h-32 rounded-card md:h-14" />
        ))}
      </div>
    </div>
  )
}
