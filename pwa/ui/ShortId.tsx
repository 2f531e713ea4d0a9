import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { CopyButton } from './CopyButton.tsx'
import { shortenId } from './shortenId.ts'

interface ShortIdProps {
  id: string
  what?: string
  /** It begins with the time: see `shortenId`. */
  isTimed?: boolean
}

/** Eight characters of an id; a tap shows all of it with a copy button. */
export function ShortId({ id, what = t('transaction ID'), isTimed = false }: ShortIdProps) {
  const [isFull, setFull] = useState(false)
  const shown = isFull ? id : shortenId(id, { isTimed })
  return (
    <span className="inline-flex max-w-full items-center">
      <button
        type="button"
        translate="no"
        title={id}
        aria-expanded={isFull}
        aria-label={`${shown}, ${t(isFull ? 'shorten' : 'show the full ID')}`}
        onClick={() => setFull(!isFull)}
        className="exact min-h-11 min-w-11 text-left [overflow-wrap:anywhere] text-inherit underline decoration-dotted underline-offset-4"
      >
        {shown}
      </button>
      {isFull && <CopyButton value={id} what={what} />}
    </span>
  )
}
