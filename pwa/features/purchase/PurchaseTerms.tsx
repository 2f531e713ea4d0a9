import { formatAmount, parseAmount } from '#shared/amount.ts'
import { MINIMUM_WITHDRAWAL } from '#shared/withdrawalRules.ts'
import { msg, t, translate } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { nextRewardAt } from '#pwa/lib/nextRewardAt.ts'
import { useProductTime } from '#pwa/lib/serverClock.ts'
import type { Sale } from '#pwa/lib/useSale.ts'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'

/** The benefits, the way of payment and the risks of a node. */
export function PurchaseTerms({ sale }: { sale: Sale }) {
  const now = useProductTime()
  return (
    <div className="flex flex-col gap-8">
      <section>
        <h2 className="mb-3 font-strong">{t('Node benefits')}</h2>
        <dl className="divide-y divide-ink-5 border-y border-ink-5">
          {benefits.map(([name, value]) => (
            <div key={name} className="flex justify-between gap-4 py-3">
              <dt className="text-ink-10">{translate(name)}</dt>
              <dd className="text-right">
                {translate(value)}
                {name === income && <LocalTime date={nextRewardAt(now)} />}
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h2 className="mb-3 font-strong">{t('In plain words')}</h2>
        <ul className="flex list-disc flex-col gap-2 pl-5 text-ink-10 marker:text-ink-7">
          {plainFacts(sale).map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      </section>
      <section>
        <h2 className="mb-3 font-strong">{t('Payment instructions')}</h2>
        <ul className="flex list-disc flex-col gap-2 pl-5 text-ink-10 marker:text-ink-7">
          <li>{t('BEP20 USDT only, on BNB Smart Chain.')}</li>
          <li>{t('Transfer only from your registered wallet.')}</li>
          <li>
            <T
              text="Purchase only in units of the node price, {price} USDT."
              price={<span translate="no">{formatAmount(sale.nodePrice)}</span>}
            />
          </li>
          <li>
            {t('Nodes are distributed within 30 minutes after confirmation. Chain confirmation usually takes 5–30 minutes.')}
          </li>
          <li>{t('In practice, both are automatic. Your nodes usually arrive within minutes of payment.')}</li>
        </ul>
      </section>
      <Notice tone="warning" title={t('Investment risk')}>
        {t(
          "Nodes and XCR are risky. They can lose all their value, and blockchain payments can't be reversed. Pay only what you can afford to lose.",
        )}
      </Notice>
    </div>
  )
}

const income = msg('Daily XCR income')
const benefits = [
  [income, msg('Every day at 09:00 UTC')],
  [msg('Vesting period'), msg('5 years')],
  [msg('Governance'), msg('Enabled for every node')],
] as const

/** Common questions of first-time buyers, with current figures. */
function plainFacts({ nodePrice, settings }: Sale): string[] {
  const rate = parseAmount(settings.xcr_per_node_daily) ?? 0n
  const fee = parseAmount(settings.withdrawal_fee_amount) ?? 0n
  const minimum = formatAmount(MINIMUM_WITHDRAWAL, { grouped: true })
  return [
    t('One node costs {price} USDT and earns {rate} XCR a day at the present rate. The rate can change.', {
      price: formatAmount(nodePrice),
      rate: formatAmount(rate),
    }),
    ...(rate > 0n
      ? [
          t('One node takes {days} days to earn {minimum} XCR, the minimum withdrawal. More nodes get there sooner.', {
            days: String((MINIMUM_WITHDRAWAL + rate - 1n) / rate),
            minimum,
          }),
        ]
      : []),
    t('Each withdrawal costs a fee of {fee} XCR.', { fee: formatAmount(fee) }),
    t('Vesting is a 5-year period that the administrator starts for all nodes. It does not lock your XCR.'),
    t('Governance is enabled for nodes. There is nothing to vote on here today.'),
  ]
}
