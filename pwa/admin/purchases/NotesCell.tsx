import { useState } from 'react'
import { shorten } from '#shared/address.ts'
import { t } from '#pwa/i18n/t.ts'

/** Longer notes do not fit into two lines of a row. */
const COLLAPSE_LENGTH = 60

/** Wallets and hashes, which a narrow column would break at any place. */
const HEX = /0x(?:[\da-f]{64}|[\da-f]{40})\b/gi

/** The notes of administrators; a long text can be expanded, and shows its addresses and hashes in full then. */
export function NotesCell({ notes }: { notes: string | null }) {
  const [isOpen, setOpen] = useState(false)
  if (!notes) return <span className="text-ink-9">–</span>
  const short = notes.replaceAll(HEX, shorten)
  if (short.length <= COLLAPSE_LENGTH && short === notes)
    return (
      <span className="text-12 [overflow-wrap:anywhere] text-ink-10">
        <Breakable text={notes} />
      </span>
    )
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      title={t(isOpen ? 'Show less' : 'Show all')}
      onClick={() => setOpen(!isOpen)}
      className="block w-full rounded-small text-12 [overflow-wrap:anywhere] text-ink-10 [text-align:inherit] hover:text-ink-12 max-md:min-h-11"
    >
      <span className={isOpen ? 'block whitespace-pre-line' : 'line-clamp-2'}>
        <Breakable text={isOpen ? notes : short} />
      </span>
    </button>
  )
}

/** An email address stays on one line; one longer than that breaks before its @. */
const Breakable = ({ text }: { text: string }) =>
  text.split(/(\S+@\S+)/).map((part, place) => {
    const at = part.lastIndexOf('@')
    if (place % 2 === 0 || at < 0) return part
    return (
      <span key={place} className="inline-block max-w-full">
        {part.slice(0, at)}
        <wbr />
        {part.slice(at)}
      </span>
    )
  })
