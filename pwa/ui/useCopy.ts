import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { toast } from './toast.ts'

/** How long a button says that it copied. */
const CONFIRMATION_TIME = 2 * SECOND

interface CopyTexts {
  /** What is copied: "transaction hash". */
  what: string
  /** Title of the toast: "Copy Complete" unless told otherwise. */
  done?: string | undefined
  failed?: string | undefined
}

/** Copies with its toast, and says for two seconds that it did. */
export function useCopy({ what, done, failed }: CopyTexts) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), CONFIRMATION_TIME)
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
