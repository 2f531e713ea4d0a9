import { t } from '#pwa/i18n/t.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { windowOf } from '#pwa/ui/fieldWindow.ts'
import { PickableField } from './PickableField.tsx'

interface OwnFieldProps {
  /** Empty as well until the purchases are loaded. */
  mine: readonly number[]
  bonus: readonly number[]
  /** The user has none. */
  isEmpty: boolean
}

/** The user's own nodes in the field; the window follows the selected one. */
export function OwnField({ mine, bonus, isEmpty }: OwnFieldProps) {
  const { totalLimit, totalSold } = useSale()
  const steps = mine.toSorted((one, other) => one - other)
  const start = steps.at(-1) ?? 1
  return (
    <PickableField
      total={totalLimit}
      sold={totalSold}
      mine={mine}
      bonus={bonus}
      firstFor={(picked) => windowOf(picked ?? start)}
      steps={steps}
      start={start}
      hint={t('Tap a dot or browse your nodes.')}
      entries={[
        { mark: 'mine', label: isEmpty ? t('Yours will light up here') : t('Yours') },
        ...(bonus.length > 0 ? [{ mark: 'bonus' as const, label: t('Yours, bonus') }] : []),
        { mark: 'sold', label: t('Others') },
      ]}
    />
  )
}
