import { formatAmount } from '#shared/amount.ts'
import { msg, t, translate } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'

/** What a node gives, how it is paid, and what may go wrong. */
export function PurchaseTerms({ nodePrice }: { nodePrice: bigint }) {
  return (
    <div className="flex flex-col gap-8">
      <section>
        <h2 className="mb-3 font-strong">{t('What a node gives you')}</h2>
        <dl className="divide-y divide-ink-5 border-y border-ink-5">
          {benefits.map(([name, value]) => (
            <div key={name} className="flex justify-between gap-4 py-3">
              <dt className="text-ink-10">{translate(name)}</dt>
              <dd className="text-right">{translate(value)}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h2 className="mb-3 font-strong">{t('Payment instructions')}</h2>
        <ul className="flex list-disc flex-col gap-2 pl-5 text-ink-10 marker:text-ink-7">
          <li>{t('BEP20 USDT only, on BNB Smart Chain.')}</li>
          <li>{t('Transfer only from your registered wallet.')}</li>
          <li>
            <T
              text="Purchase only in units of the node price, {price} USDT."
              price={<span translate="no">{formatAmount(nodePrice)}</span>}
            />
          </li>
          <li>
            {t('Nodes are distributed within 30 minutes after confirmation. Chain confirmation usually takes 5–30 minutes.')}
          </li>
        </ul>
      </section>
      <Notice tone="warning" title={t('Investment risk')}>
        {t(
          'Nodes and XCR are a risk: their value may fall, to nothing too, and a payment on the chain cannot be taken back. Pay only what you can afford to lose.',
        )}
      </Notice>
    </div>
  )
}

const benefits = [
  [msg('Daily XCR income'), msg('Every day at 09:00 UTC')],
  [msg('Vesting period'), msg('5 years')],
  [msg('Governance'), msg('Enabled')],
] as const
