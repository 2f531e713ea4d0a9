import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'

/** Lists of this length or longer are collapsed to the first few numbers. */
const COLLAPSE_THRESHOLD = 11
const COLLAPSED_COUNT = 3

/** The node numbers of a purchase; a long list can be expanded. */
export function NodeNumbers({ numbers }: { numbers: readonly number[] }) {
  const [isOpen, setOpen] = useState(false)
  if (numbers.length === 0) return <span className="text-ink-9">–</span>
  if (numbers.length < COLLAPSE_THRESHOLD)
    return (
      <span translate="no" className="figures">
        {numbers.join(', ')}
      </span>
    )
  return (
    <span className="figures inline-flex flex-wrap items-baseline gap-x-1.5 max-md:justify-end">
      <span translate="no" className={isOpen ? 'block max-h-32 overflow-y-auto' : undefined}>
        {(isOpen ? numbers : numbers.slice(0, COLLAPSED_COUNT)).join(', ')}
      </span>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="rounded-small whitespace-nowrap text-accent underline-offset-2 hover:underline max-md:min-h-11"
      >
        {isOpen ? t('Show less') : t('+{count} more', { count: numbers.length - COLLAPSED_COUNT })}
      </button>
    </span>
  )
}
