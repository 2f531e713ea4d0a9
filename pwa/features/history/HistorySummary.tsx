import { plural, t } from '#pwa/i18n/t.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Stat } from '#pwa/ui/Stat.tsx'
import { sumWithdrawals } from './sumWithdrawals.ts'
import type { History } from './useHistory.ts'

/** Available, earned and withdrawn XCR. */
export function HistorySummary({ history: { balance, entries, withdrawn: all } }: { history: History }) {
  // An older copy on the device has no sum. The list may lack the oldest withdrawals.
  const withdrawn = all ?? sumWithdrawals(entries)
  return (
    <div className="mb-6 grid gap-2 md:grid-cols-3 md:gap-4 desk:mb-8">
      <Stat title={t('Current XCR Balance')} figure={<Figure value={balance.availableXcr} />} caption={t('Withdrawable')} />
      <Stat
        title={t('Total XCR Earned')}
        figure={<Figure value={balance.totalEarnedXcr} />}
        caption={t('Since your first node')}
      />
      <Stat
        title={t('Total Withdrawal History')}
        figure={<Figure value={withdrawn.totalAmount} />}
        caption={plural(withdrawn.count, '{count} completed withdrawal', '{count} completed withdrawals')}
      />
    </div>
  )
}

const Figure = ({ value }: { value: bigint }) => <Amount value={value} unit="XCR" size="medium" minDecimals={2} maxDecimals={2} />
