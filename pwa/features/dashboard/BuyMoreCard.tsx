import { formatCount } from '#pwa/lib/formatCount.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { useProductTime } from '#pwa/lib/productClock.ts'
import type { Sale } from '#pwa/lib/useSale.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { Countdown } from '#pwa/ui/Countdown.tsx'

export function BuyMoreCard({ sale }: { sale: Sale }) {
  const now = useProductTime()
  const isWaiting = sale.startsAt !== null && sale.startsAt > now
  return (
    <Card className="flex flex-col">
      <h2 className="font-strong">Purchase Additional Nodes</h2>
      {isWaiting && sale.startsAt ? (
        <>
          <p className="mt-1 mb-3 text-14 text-ink-10">Sales start {formatDateTime(sale.startsAt)}.</p>
          <Countdown target={sale.startsAt} now={now} />
        </>
      ) : (
        <>
          <p className="mt-1 mb-5 text-14 text-ink-10">{formatCount(sale.remaining)} left. One more for every ten you buy.</p>
          <ButtonLink to="/purchase" isWide className="mt-auto">
            Buy nodes
          </ButtonLink>
        </>
      )}
    </Card>
  )
}
