import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { toast } from './toast.ts'

/** How long the button says that it copied. */
const CONFIRMATION_TIME = 2 * SECOND

interface CopyButtonProps {
  value: string
  /** What is copied, for a screen reader: "transaction hash". */
  what: string
  /** Title of the toast: "Copy Complete" unless told otherwise. */
  done?: string
  failed?: string
}

export function CopyButton({ value, what, done = 'Copy Complete', failed }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), CONFIRMATION_TIME)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy() {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
      toast({ title: done })
    } catch {
      toast({ title: 'Copy Failed', description: failed ?? `Failed to copy ${what}.`, destructive: true })
    }
  }

  return (
    <button
      type="button"
      aria-label={`Copy ${what}`}
      onClick={copy}
      className="inline-grid size-11 shrink-0 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12"
    >
      {isCopied ? <Check size={18} aria-hidden className="text-green" /> : <Copy size={18} aria-hidden />}
    </button>
  )
}
