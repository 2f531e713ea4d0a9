import { useState } from 'react'
import { t } from '#pwa/i18n/t.ts'

/** Longer notes do not fit into two lines of a row. */
const COLLAPSE_LENGTH = 60

/** The notes of administrators; a long text can be expanded. */
export function NotesCell({ notes }: { notes: string | null }) {
  const [isOpen, setOpen] = useState(false)
  if (!notes) return <span className="text-ink-9">–</span>
  if (notes.length <= COLLAPSE_LENGTH) return <span className="text-12 [overflow-wrap:anywhere] text-ink-10">{notes}</span>
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      title={t(isOpen ? 'Show less' : 'Show all')}
      onClick={() => setOpen(!isOpen)}
      className="block w-full rounded-small text-12 [overflow-wrap:anywhere] text-ink-10 [text-align:inherit] hover:text-ink-12 max-md:min-h-11"
    >
      <span className={isOpen ? 'block whitespace-pre-line' : 'line-clamp-2'}>{notes}</span>
    </button>
  )
}
