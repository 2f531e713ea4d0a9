import type { Output } from '#shared/contract/endpoint.ts'
import type { listAdminPurchases } from '#shared/contract/admin/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Summary } from '../lists/Summary.tsx'

export const FilterSummary = ({ summary }: { summary: NonNullable<Output<typeof listAdminPurchases>['summary']> }) => (
  <Summary
    figures={[
      [t('Purchases'), formatCount(summary.purchaseCount)],
      [t('Paid nodes'), formatCount(summary.paidNodes)],
      [t('Bonus nodes'), formatCount(summary.bonusNodes)],
      [t('Total nodes'), formatCount(summary.totalNodes)],
    ]}
  />
)
