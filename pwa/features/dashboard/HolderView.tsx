import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'
import { costOf } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { configQuery, purchasesQuery, userNodesQuery } from '#pwa/lib/queries.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { Stat } from '#pwa/ui/Stat.tsx'
import { WithdrawButton } from '../withdrawal/WithdrawButton.tsx'
import { BuyMoreCard } from './BuyMoreCard.tsx'
import { DailyIncomeCard } from './DailyIncomeCard.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { OwnField } from './OwnField.tsx'
import { ownNumbers } from './ownNumbers.ts'

const OpenWithdrawals = lazyPart(async () => (await import('../withdrawal/OpenWithdrawals.tsx')).OpenWithdrawals)
const FrozenNotice = lazyPart(async () => (await import('../freeze/FrozenNotice.tsx')).FrozenNotice)
const PushCard = lazyPart(async () => (await import('../push/PushCard.tsx')).PushCard)
const RegisterLine = lazyPart(async () => (await import('../register/RegisterLine.tsx')).RegisterLine)

/** First what the user owns, earns and can withdraw, then the nodes, then the actions. */
export function HolderView({ user }: { user: AuthUser }) {
  const sale = useSale()
  const { data: config } = useQuery(configQuery)
  const nodes = useQuery(userNodesQuery)
  const purchases = useQuery(purchasesQuery)
  const { mine, bonus } = ownNumbers(purchases.data ?? [])
  const paid = (purchases.data ?? [])
    .filter(({ paymentStatus }) => paymentStatus === 'confirmed')
    .reduce((sum, { purchaseAmountUsdt }) => sum + purchaseAmountUsdt, 0n)
  const isNew = user.totalNodes === 0 && user.balance.totalEarnedXcr === 0n && user.balance.availableXcr === 0n

  const frozen = user.frozen && (
    <Suspense>
      <FrozenNotice />
    </Suspense>
  )
  if (isNew)
    return (
      <div className="grid animate-appear gap-4">
        <h1 className="sr-only">{t('Dashboard')}</h1>
        {frozen}
        <FirstSteps user={user} />
        <BuyMoreCard sale={sale} />
      </div>
    )
  return (
    <div className="animate-appear">
      <h1 className="sr-only">{t('Dashboard')}</h1>
      <div className="not-empty:mb-4">{frozen}</div>
      <Suspense>
        <OpenWithdrawals />
      </Suspense>
      <div className="grid gap-2 md:grid-cols-3 md:gap-4">
        <Stat
          title={t('Owned Nodes')}
          badge={t('ACTIVE')}
          badgeTone="accent"
          figure={<span className="desk:text-40 @max-[15rem]:text-28!">{formatCount(user.totalNodes)}</span>}
          caption={
            nodes.data
              ? t('{count} earning now', { count: nodes.data.activeNodes })
              : nodes.isPending && <Skeleton className="mt-2 h-4 w-24" />
          }
        />
        <Stat
          title={t('XCR Balance')}
          badge="XCR"
          figure={<Amount value={user.balance.availableXcr} minDecimals={2} maxDecimals={2} size="large" />}
          caption={
            <T
              text="{amount} earned in total"
              amount={<Amount value={user.balance.totalEarnedXcr} minDecimals={2} maxDecimals={2} size={14} />}
            />
          }
          action={<WithdrawButton />}
        />
        <Stat
          title={t('Total Investment')}
          badge="USD"
          figure={<Amount value={costOf(sale.nodePrice, user.totalNodes)} maxDecimals={2} size="large" />}
          caption={
            purchases.data ? (
              <T text="{amount} USDT paid" amount={<Amount value={paid} size={14} />} />
            ) : (
              purchases.isPending && <Skeleton className="mt-2 h-4 w-24" />
            )
          }
        />
      </div>

      <div className="mt-4 grid grid-cols-1 gap-4 md:grid-cols-[1.6fr_1fr]">
        <DailyIncomeCard nodes={nodes.data} error={nodes.error} onRetry={() => void nodes.refetch()} />
        <BuyMoreCard sale={sale} />
      </div>

      <section aria-label={t('Your nodes')} className="mt-10">
        <div className="mb-4 flex min-h-11 flex-wrap items-center justify-between gap-x-4">
          <h2 className="text-20 font-strong">{t('Your nodes')}</h2>
          {config?.register && (
            <Suspense>
              <RegisterLine userId={user.id} />
            </Suspense>
          )}
        </div>
        <OwnField mine={mine} bonus={bonus} isEmpty={user.totalNodes === 0} />
      </section>

      <div className="mt-10 empty:hidden">
        <Suspense>
          <PushCard user={user} isOffer />
        </Suspense>
      </div>
    </div>
  )
}
