import { t } from '#pwa/i18n/t.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { WINDOW_SIZE, windowAroundSale } from '#pwa/ui/fieldWindow.ts'
import { PickableField } from './PickableField.tsx'

/** The window of the field around the newest sales. */
export function SaleField() {
  const { totalLimit, totalSold, reserved } = useSale()
  const first = windowAroundSale(totalSold, totalLimit)
  const count = Math.max(0, Math.min(WINDOW_SIZE, totalLimit - first + 1))
  return (
    <PickableField
      total={totalLimit}
      sold={totalSold}
      firstFor={() => first}
      steps={Array.from({ length: count }, (_, at) => first + at)}
      // The newest allocated node. Reserved numbers are not allocated yet.
      start={Math.max(first, totalSold - reserved)}
      hint={t('Tap a dot to see its number and date.')}
      entries={[
        { mark: 'sold', label: t('Already sold') },
        { mark: 'free', label: t('Available') },
      ]}
    />
  )
}
