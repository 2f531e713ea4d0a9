import { formatAmount } from '#shared/amount.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { type Sale, useSale } from '#pwa/lib/useSale.ts'
import { NodeField } from '#pwa/ui/NodeField.tsx'
import { Stat } from '#pwa/ui/Stat.tsx'
import { FieldLegend } from './FieldLegend.tsx'
import { SaleCard } from './SaleCard.tsx'

/** The offer in one line, the field with live numbers, price, countdown or Buy. */
export function VisitorView() {
  const sale = useSale()
  return (
    <div className="animate-appear">
      <div className="grid items-end gap-6 md:grid-cols-[1fr_340px] md:gap-10">
        <div className="md:pb-2">
          <h1 className="max-w-[16ch] text-28 font-strong text-balance desk:text-40">
            {formatCount(sale.totalLimit)} nodes. Each one earns XCR, every day.
          </h1>
          <p className="mt-3 max-w-[44ch] text-16 text-ink-10 text-pretty desk:text-20">
            {formatAmount(sale.nodePrice)} USDT a node. {sale.settings.xcr_per_node_daily} XCR a day from each, paid at 09:00 UTC.
          </p>
        </div>
        <SaleCard sale={sale} />
      </div>

      <section aria-label="The field of all nodes" className="mt-8 desk:mt-12">
        <NodeField total={sale.totalLimit} sold={sale.totalSold} />
        <FieldLegend
          entries={[
            { mark: 'sold', label: `${formatCount(sale.totalSold)} sold` },
            { mark: 'free', label: `${formatCount(sale.remaining)} free` },
          ]}
          range={sale.totalLimit}
        />
      </section>

      <div className="mt-8 grid gap-4 desk:mt-10 md:grid-cols-[1fr_2fr]">
        <Stat title="Total Available Nodes" figure={formatCount(sale.totalLimit)} caption="Limited Edition" />
        <SalesStatus sale={sale} />
      </div>
    </div>
  )
}

function SalesStatus({ sale }: { sale: Sale }) {
  return (
    <section className="rounded-card border border-ink-5 bg-surface p-4 desk:p-6">
      <h2 className="text-14 text-ink-10">Node Sales Status</h2>
      <dl className="mt-3 grid grid-cols-2 gap-4">
        <Fact name="Total Sold" figure={sale.totalSold} />
        <Fact name="Remaining" figure={sale.remaining} />
      </dl>
    </section>
  )
}

/** The name stands below its figure, and before it for whoever listens. */
function Fact({ name, figure }: { name: string; figure: number }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="mt-1 text-14 text-ink-9">{name}</dt>
      <dd className="figures text-28 font-strong">{formatCount(figure)}</dd>
    </div>
  )
}
