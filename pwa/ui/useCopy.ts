import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { toast } from './toast.ts'

/** How long the button shows that it copied. */
const COPIED_DURATION = 2 * SECOND

interface CopyTexts {
  /** Name of the copied value: "transaction hash". */
  what: string
  /** Title of the toast; "Copy Complete" by default. */
  done?: string | undefined
  failed?: string | undefined
}

/** Copies a text, shows a toast, and reports success for two seconds. */
export function useCopy({ what, done, failed }: CopyTexts) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), COPIED_DURATION)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy(value: string) {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
      toast({ title: done ?? t('Copy Complete') })
    } catch {
      toast({ title: t('Copy Failed'), description: failed ?? t('Failed to copy {what}.', { what }), destructive: true })
    }
  }
  return { isCopied, copy }
}
