import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { nodeStatsQuery } from '#pwa/lib/queries.ts'

/** Splits the total of nodes sold into its parts. Empty while none is sold, or if an older server does not send them. */
export function SoldParts() {
  const { totalSold, paid, bonus, reserved } = useQuery(nodeStatsQuery).data ?? {}
  if (!totalSold || paid === undefined || bonus === undefined || reserved === undefined) return null
  return (
    <p className="figures mt-2 text-14 text-ink-9">
      {t('Sold: {paid} paid, {bonus} bonus, {reserved} reserved', {
        paid: formatCount(paid),
        bonus: formatCount(bonus),
        reserved: formatCount(reserved),
      })}
    </p>
  )
}
