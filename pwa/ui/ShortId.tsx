import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { CopyButton } from './CopyButton.tsx'

/** The first 8 characters of an id; a tap shows all of it with a copy button. */
export function ShortId({ id, what = t('transaction ID') }: { id: string; what?: string }) {
  const [isFull, setFull] = useState(false)
  return (
    <span className="inline-flex max-w-full items-center">
      <button
        type="button"
        translate="no"
        title={id}
        aria-expanded={isFull}
        aria-label={`${isFull ? id : id.slice(0, 8)}, ${t(isFull ? 'shorten' : 'show the full ID')}`}
        onClick={() => setFull(!isFull)}
        className="exact min-h-11 min-w-11 text-left [overflow-wrap:anywhere] text-inherit underline decoration-dotted underline-offset-4"
      >
        {isFull ? id : id.slice(0, 8)}
      </button>
      {isFull && <CopyButton value={id} what={what} />}
    </span>
  )
}
