import { plural } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'

/**
 * The number of things that wait in a tab, beside its name; nothing if none does. Its hidden text is placed within it: otherwise a row of
 * tabs that scrolls would widen the page.
 */
export const WaitingBadge = ({ count }: { count: number | undefined }) =>
  count ? (
    <span className="figures relative ml-1.5 inline-flex h-5 min-w-5 items-center justify-center rounded-full border border-amber-line bg-amber-soft px-1.5 text-12 font-strong text-amber">
      <span aria-hidden>{formatCount(count)}</span>
      <span className="sr-only">{plural(count, ', {count} waits', ', {count} wait')}</span>
    </span>
  ) : null
