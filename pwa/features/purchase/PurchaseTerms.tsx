import { formatAmount } from '#shared/amount.ts'
import { Notice } from '#pwa/ui/Notice.tsx'

/** What a node gives, how it is paid, and what may go wrong. */
export function PurchaseTerms({ nodePrice }: { nodePrice: bigint }) {
  return (
    <div className="flex flex-col gap-8">
      <section>
        <h2 className="mb-3 font-strong">What a node gives you</h2>
        <dl className="divide-y divide-ink-5 border-y border-ink-5">
          {benefits.map(([name, value]) => (
            <div key={name} className="flex justify-between gap-4 py-3">
              <dt className="text-ink-10">{name}</dt>
              <dd className="text-right">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h2 className="mb-3 font-strong">Payment instructions</h2>
        <ul className="flex list-disc flex-col gap-2 pl-5 text-ink-10 marker:text-ink-7">
          <li>BEP20 USDT only, on BNB Smart Chain.</li>
          <li>Transfer only from your registered wallet.</li>
          <li>Purchase only in units of the node price, {formatAmount(nodePrice)} USDT.</li>
          <li>Nodes are distributed within 30 minutes after confirmation. Chain confirmation usually takes 5–30 minutes.</li>
        </ul>
      </section>
      <Notice tone="warning" title="Investment risk">
        Nodes and XCR are a risk: their value may fall, to nothing too, and a payment on the chain cannot be taken back. Pay only
        what you can afford to lose.
      </Notice>
    </div>
  )
}

const benefits = [
  ['Daily XCR income', 'Every day at 09:00 UTC'],
  ['Vesting period', '5 years'],
  ['Governance', 'Enabled'],
] as const
