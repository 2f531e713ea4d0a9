import type { ReactNode } from 'react'
import { costOf } from '#shared/sale.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { forecastBonus } from './forecastBonus.ts'

interface ReceiptProps {
  unitPrice: bigint
  quantity: number
  /** Number of nodes the account has already paid for. */
  owned: number
}

/** The price calculation, line by line. */
export function Receipt({ unitPrice, quantity, owned }: ReceiptProps) {
  return (
    <section aria-label={t('Receipt')} className="rounded-card border border-ink-5 bg-surface">
      <dl className="px-4 py-2 desk:px-6">
        <Line name={t('Unit price')}>
          <Amount value={unitPrice} unit="USDT" />
        </Line>
        <Line name={t('Quantity')}>
          <span className="figures">
            <T
              text={quantity === 1 ? '{count} <unit>node</unit>' : '{count} <unit>nodes</unit>'}
              count={formatCount(quantity)}
              unit={(inside) => <span className="text-12 text-ink-9">{inside}</span>}
            />
          </span>
        </Line>
        <Line name={t('Bonus')}>
          <Bonus {...forecastBonus({ owned, quantity })} />
        </Line>
        <div className="flex items-baseline justify-between gap-4 border-t border-ink-5 py-4">
          <dt className="font-strong">{t('Total')}</dt>
          <dd>
            <Amount value={costOf(unitPrice, quantity)} unit="USDT" size={28} />
          </dd>
        </div>
      </dl>
      <p className="border-t border-ink-5 px-4 py-3 text-14 text-ink-9 desk:px-6">
        {t('The network fee is extra: about 0.00001 BNB from your wallet.')}
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
        {plural(earned, '+{count} free node, added within a week', '+{count} free nodes, added within a week')}
      </span>
    )
  }
  return <span className="text-14 text-ink-10">{t('Buy {count} more, get 1 free', { count: missing })}</span>
}
