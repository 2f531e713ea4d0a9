import { Minus, Plus } from '#pwa/ui/icons.ts'
import { useId } from 'react'
import { MAX_UNBACKED_NODES, PRESET_QUANTITIES } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { inputClass } from '#pwa/ui/Field.tsx'
import { Segmented } from '#pwa/ui/Segmented.tsx'
import { readQuantity } from './readQuantity.ts'

interface QuantityPickerProps {
  /** As typed; may be empty while the user is editing. */
  typed: string
  onType: (typed: string) => void
  remaining: number
  /** The wallet has not signed. */
  isUnproven: boolean
}

const stepClass =
  'grid w-13 shrink-0 place-items-center rounded-input border border-ink-6 text-ink-11 transition-colors hover:border-ink-8 hover:bg-ink-2 disabled:border-ink-4 disabled:text-ink-7 disabled:hover:bg-transparent'

export function QuantityPicker({ typed, onType, remaining, isUnproven }: QuantityPickerProps) {
  const id = useId()
  const quantity = readQuantity(typed)
  const isTooMuch = quantity > remaining
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="mb-3 font-strong">
        {t('How many nodes?')}
      </h2>
      <Segmented
        label={t('Preset quantities')}
        value={PRESET_QUANTITIES.some((preset) => preset === quantity) ? String(quantity) : null}
        onChange={onType}
        options={PRESET_QUANTITIES.map((preset) => ({
          value: String(preset),
          label: String(preset),
          disabled: preset > remaining,
        }))}
      />
      <div className="mt-3 flex gap-2">
        <button
          type="button"
          aria-label={t('Remove one node')}
          data-step
          disabled={quantity <= 1}
          onClick={() => onType(String(quantity - 1))}
          className={stepClass}
        >
          <Minus size={18} aria-hidden />
        </button>
        <input
          id={id}
          type="number"
          inputMode="numeric"
          aria-label={t('Quantity')}
          aria-invalid={isTooMuch || undefined}
          aria-describedby={`${id}-hint`}
          min={1}
          max={remaining}
          step={1}
          value={typed}
          onChange={(event) => onType(event.target.value)}
          onBlur={() => onType(String(quantity))}
          className={`${inputClass} figures text-center font-strong [appearance:textfield] [&::-webkit-inner-spin-button]:appearance-none`}
        />
        <button
          type="button"
          aria-label={t('Add one node')}
          data-step
          disabled={quantity >= remaining}
          onClick={() => onType(String(quantity + 1))}
          className={stepClass}
        >
          <Plus size={18} aria-hidden />
        </button>
      </div>
      <p id={`${id}-hint`} className={`mt-2 text-14 ${isTooMuch ? 'text-red' : 'text-ink-9'}`}>
        {isUnproven && !isTooMuch
          ? t('From 1 to {count}. At most {limit} unpaid at once until you connect your wallet again and sign.', {
              count: remaining,
              limit: MAX_UNBACKED_NODES,
            })
          : t(isTooMuch ? 'Only {count} left.' : 'From 1 to {count}. No limit per person.', { count: remaining })}
      </p>
    </section>
  )
}
