import type { ReactNode } from 'react'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { forecastBonus } from './forecastBonus.ts'

interface ReceiptProps {
  unitPrice: bigint
  quantity: number
  /** Nodes paid for before. */
  owned: number
}

/** What it comes to, in lines that add up. */
export function Receipt({ unitPrice, quantity, owned }: ReceiptProps) {
  return (
    <section aria-label="Receipt" className="rounded-card border border-ink-5 bg-surface">
      <dl className="px-4 py-2 desk:px-6">
        <Line name="Unit price">
          <Amount value={unitPrice} unit="USDT" />
        </Line>
        <Line name="Quantity">
          <span className="figures">
            {formatCount(quantity)} <span className="text-12 text-ink-9">{quantity === 1 ? 'node' : 'nodes'}</span>
          </span>
        </Line>
        <Line name="Bonus">
          <Bonus {...forecastBonus({ owned, quantity })} />
        </Line>
        <div className="flex items-baseline justify-between gap-4 border-t border-ink-5 py-4">
          <dt className="font-strong">Total</dt>
          <dd>
            <Amount value={unitPrice * BigInt(quantity)} unit="USDT" size={28} />
          </dd>
        </div>
      </dl>
      <p className="border-t border-ink-5 px-4 py-3 text-14 text-ink-9 desk:px-6">
        The network fee is extra: about 0.00001 BNB from your wallet.
      </p>
    </section>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-2.5">
      <dt className="text-ink-10">{name}</dt>
      <dd className="text-right">{children}</dd>
    </div>
  )
}

function Bonus({ earned, missing }: ReturnType<typeof forecastBonus>) {
  if (earned > 0) {
    return (
      <span className="text-accent">
        +{formatCount(earned)} free {earned === 1 ? 'node' : 'nodes'}, sent weekly
      </span>
    )
  }
  return <span className="text-14 text-ink-10">{missing} more for a free node</span>
}
