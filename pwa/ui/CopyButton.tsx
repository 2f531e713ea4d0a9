import { Check, Copy } from '#pwa/ui/icons.ts'
import { t } from '#pwa/i18n/t.ts'
import { useCopy } from './useCopy.ts'

interface CopyButtonProps {
  value: string
  /** Name of the copied value, for screen readers: "transaction hash". */
  what: string
  /** Title of the toast; "Copy Complete" by default. */
  done?: string
  failed?: string
}

export function CopyButton({ value, what, done, failed }: CopyButtonProps) {
  const { isCopied, copy } = useCopy({ what, done, failed })
  return (
    <button
      type="button"
      aria-label={t('Copy {what}', { what })}
      onClick={() => void copy(value)}
      className="inline-grid size-11 shrink-0 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12"
    >
      {isCopied ? <Check size={18} aria-hidden className="text-green" /> : <Copy size={18} aria-hidden />}
    </button>
  )
}
