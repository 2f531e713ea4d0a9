import { useId, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { nameOfField, nameOfValue } from './fieldNames.ts'
import { type Difference, findDifferences } from './findDifferences.ts'

/** Differences shown before "show more", and the length at which a value is collapsed. */
const INITIAL_COUNT = 3
const COLLAPSE_LENGTH = 140

/** Old and new values, one line per changed value. */
export function Differences({ before, after }: { before: unknown; after: unknown }) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const differences = findDifferences(before, after)
  if (differences.length === 0) return <span className="text-ink-9 max-md:hidden">–</span>
  const isFolded = differences.length > INITIAL_COUNT || differences.some((one) => lengthOf(one) > COLLAPSE_LENGTH)
  return (
    <div className="min-w-0 text-left">
      <ul id={id} className="flex flex-col gap-0.5">
        {(isOpen ? differences : differences.slice(0, INITIAL_COUNT)).map((difference) => (
          <li key={difference.path} className={`exact ${isOpen ? '' : 'line-clamp-6 md:line-clamp-4'}`}>
            <OneDifference {...difference} />
          </li>
        ))}
      </ul>
      {isFolded && (
        <TextButton aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)} className="text-12! md:min-h-6!">
          {isOpen
            ? t('Show less')
            : differences.length > INITIAL_COUNT
              ? t('+{count} more', { count: differences.length - INITIAL_COUNT })
              : t('Show all')}
        </TextButton>
      )}
    </div>
  )
}

const lengthOf = ({ before, after }: Difference): number => (before?.length ?? 0) + (after?.length ?? 0)

const OneDifference = ({ path, before, after }: Difference) => (
  <>
    {path && <span className="text-ink-9">{nameOfField(path)} </span>}
    {before !== undefined && (
      <del className={`text-ink-9 ${after === undefined ? '' : 'no-underline'}`}>{nameOfValue(path, before)}</del>
    )}
    {before !== undefined && after !== undefined && <span aria-hidden> → </span>}
    {after !== undefined && <ins className="text-ink-12 no-underline">{nameOfValue(path, after)}</ins>}
  </>
)
