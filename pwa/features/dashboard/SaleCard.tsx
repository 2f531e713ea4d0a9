import { useProductTime } from '#pwa/lib/productClock.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import type { Sale } from '#pwa/lib/useSale.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Countdown } from '#pwa/ui/Countdown.tsx'

/** The countdown before the start, the way to buy after it. */
export function SaleCard({ sale }: { sale: Sale }) {
  const now = useProductTime()
  const isWaiting = sale.startsAt !== null && sale.startsAt > now

  return (
    <section className="flex flex-col rounded-card border border-ink-5 bg-surface p-4 desk:p-6">
      {isWaiting && sale.startsAt ? (
        <>
          <h2 className="text-14 text-ink-10">Sales start {formatDateTime(sale.startsAt)}</h2>
          <div className="mt-3">
            <Countdown target={sale.startsAt} now={now} />
          </div>
          <p className="mt-3 text-14 text-ink-9">Prepare your wallet and USDT before launch.</p>
        </>
      ) : (
        <>
          <h2 className="text-20 font-strong">{saleTitle(sale)}</h2>
          <p className="mt-1 mb-4 text-14 text-ink-10">{saleText(sale)}</p>
          <ButtonLink
            to="/purchase"
            isWide
            className="mt-auto"
            variant={sale.isEnabled && sale.remaining > 0 ? 'primary' : 'secondary'}
          >
            {sale.isEnabled && sale.remaining > 0 ? 'Buy nodes' : 'See the purchase page'}
          </ButtonLink>
        </>
      )}
    </section>
  )
}

function saleTitle({ isEnabled, remaining }: Sale): string {
  if (remaining === 0) return 'Sold out'
  return isEnabled ? 'Sales Started!' : 'Sales are paused'
}

function saleText({ isEnabled, remaining }: Sale): string {
  if (remaining === 0) return 'Every node has its owner.'
  return isEnabled ? 'Node sales are available.' : 'Nothing can be bought at the moment. Nodes already bought go on earning.'
}
