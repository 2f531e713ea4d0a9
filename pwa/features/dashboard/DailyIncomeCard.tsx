import type { UserNodes } from '#shared/contract/nodes.ts'
import { HOUR, MINUTE } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { nextRewardAt } from '#pwa/lib/nextRewardAt.ts'
import { useProductTime } from '#pwa/lib/serverClock.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'

interface DailyIncomeCardProps {
  nodes: UserNodes | undefined
  error: Error | null
  onRetry: () => void
}

/** The daily income of the active nodes, the next payout, and the nodes that become active tomorrow. */
export function DailyIncomeCard({ nodes, error, onRetry }: DailyIncomeCardProps) {
  const now = useProductTime()
  return (
    <Card>
      <CardHeader title={t('Daily XCR Income')}>
        {nodes && (
          <span className="figures text-14 text-ink-9">
            {nodes.activeNodes > 0
              ? t('Next reward in {hours}h {minutes}m', split(nextRewardAt(now).getTime() - now.getTime()))
              : nodes.firstRewardAt && (
                  <>
                    {t('First reward: {date}', { date: formatDateTime(nodes.firstRewardAt) })}
                    <LocalTime date={nodes.firstRewardAt} hasDay />
                  </>
                )}
          </span>
        )}
      </CardHeader>
      {error ? (
        <Notice
          tone="error"
          title={t("Couldn't load your income")}
          action={
            <Button variant="secondary" onClick={onRetry}>
              {t('Try again')}
            </Button>
          }
        >
          {t('Your nodes keep earning. Rewards are paid by the server.')}
        </Notice>
      ) : nodes ? (
        <>
          <p>
            <Amount value={nodes.totalDailyXcr} unit={t('XCR / day')} size="large" maxDecimals={4} />
          </p>
          <p className="mt-1 text-14 text-ink-9">
            <T
              text="{count} active × {amount} XCR per node"
              count={formatCount(nodes.activeNodes)}
              amount={<Amount value={nodes.currentXcrPerNode} size={14} />}
            />
          </p>
          {nodes.pendingNodes > 0 && (
            <p className="mt-4 border-t border-ink-5 pt-4">
              <StatusWord tone="waiting">
                <span className="whitespace-normal">
                  {t('{count} pending nodes (active tomorrow)', { count: nodes.pendingNodes })}
                </span>
              </StatusWord>
            </p>
          )}
        </>
      ) : (
        <>
          <Skeleton className="h-lh w-48 text-28 desk:text-40" />
          <Skeleton className="mt-1 h-lh w-40 text-14" />
        </>
      )}
    </Card>
  )
}

/** 13 and 05 */
const split = (left: number) => ({
  hours: Math.floor(left / HOUR),
  minutes: String(Math.floor((left % HOUR) / MINUTE)).padStart(2, '0'),
})
