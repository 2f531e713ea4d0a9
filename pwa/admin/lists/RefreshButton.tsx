import clsx from 'clsx'
import { RotateCw } from '#pwa/ui/icons.ts'
import { t } from '#pwa/i18n/t.ts'

interface RefreshButtonProps {
  /** Name of the list: "users". */
  what: string
  isFetching: boolean
  onRefresh: () => void
}

/** The event stream does not cover the back office's lists, so this button refetches them. */
export const RefreshButton = ({ what, isFetching, onRefresh }: RefreshButtonProps) => (
  <button
    type="button"
    aria-label={t('Refresh {what}', { what })}
    title={t('Refresh')}
    disabled={isFetching}
    onClick={onRefresh}
    className="grid size-11 shrink-0 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12"
  >
    <RotateCw size={18} aria-hidden className={clsx(isFetching && 'animate-turn')} />
  </button>
)
