import type { ReactNode } from 'react'
import type { Person } from '#shared/contract/admin/person.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'

/** What the account has and had. */
export function PersonFigures({ person }: { person: Person }) {
  const { totalNodes, nodes, availableXcr, totalEarnedXcr, withdrawn, owed } = person
  const kinds = [
    t('{count} paid', { count: formatCount(nodes.paid) }),
    t('{count} bonus', { count: formatCount(nodes.bonus) }),
    t('{count} active', { count: formatCount(nodes.active) }),
    ...(nodes.frozen > 0 ? [t('{count} frozen', { count: formatCount(nodes.frozen) })] : []),
  ]
  return (
    <section aria-label={t('Figures')} className="mb-6">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-ink-5 bg-ink-5 md:grid-cols-4">
        <Figure name={t('Nodes')} note={kinds.join(' · ')}>
          {formatCount(totalNodes)}
        </Figure>
        <Figure name={t('Available XCR')} note={owed > 0n ? <Owed owed={owed} /> : undefined}>
          <Xcr value={availableXcr} />
        </Figure>
        <Figure name={t('Total earned XCR')}>
          <Xcr value={totalEarnedXcr} />
        </Figure>
        <Figure
          name={t('Completed withdrawals')}
          note={plural(withdrawn.count, 'in {count} withdrawal', 'in {count} withdrawals')}
        >
          <Xcr value={withdrawn.totalAmount} />
        </Figure>
      </dl>
    </section>
  )
}

const Figure = ({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) => (
  <div className="bg-surface px-4 py-3">
    <dt className="text-12 text-ink-10">{name}</dt>
    <dd className="figures text-20 font-strong">{children}</dd>
    {note && <dd className="figures mt-0.5 text-12 text-ink-9">{note}</dd>}
  </div>
)

const Xcr = ({ value }: { value: bigint }) => <Amount value={value} size={20} minDecimals={2} maxDecimals={2} />

const Owed = ({ owed }: { owed: bigint }) => (
  <span className="text-amber">
    {t('Owes')} <Amount value={owed} unit="XCR" size={14} maxDecimals={2} />
  </span>
)
