import { queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { findAnything, type Found } from '#shared/contract/admin/find.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { readTransactionHash } from '#pwa/lib/readTransactionHash.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { inputClass } from '#pwa/ui/Field.tsx'
import { Search, X } from '#pwa/ui/icons.ts'
import { Link } from '#pwa/ui/Link.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { useSlashKey } from '../lists/useSlashKey.ts'
import { scrollToTabs } from '../panel/scrollToTabs.ts'
import { explainFound, nameFound, ownerOf, pathOfFound } from './foundWords.ts'

const findQuery = (text: string) =>
  queryOptions({
    queryKey: [findAnything.path, { text }],
    queryFn: text ? ({ signal }) => api(findAnything, { query: { text } }, { signal }) : skipToken,
    staleTime: 0,
    gcTime: 0,
  })

/** The panel's one search. The `/` key focuses it, Escape closes its results. */
export function FindAnything() {
  const id = useId()
  const field = useSlashKey()
  const [text, setText] = useState('')
  const [asked, setAsked] = useState('')
  const { data, error, isFetching, refetch } = useQuery(findQuery(asked))

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    const next = readTransactionHash(text) ?? text.trim()
    if (next && next === asked) void refetch()
    else setAsked(next)
  }
  function close() {
    setText('')
    setAsked('')
    field.current?.focus()
  }
  function handleKey(event: KeyboardEvent) {
    if (event.key === 'Escape' && (asked || text)) close()
  }

  return (
    // The key reaches here from the field and from the results.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form role="search" aria-label={t('Find anything')} noValidate onSubmit={handleSubmit} onKeyDown={handleKey} className="mb-4">
      <div className="flex flex-wrap gap-2">
        <label htmlFor={id} className="sr-only">
          {t('Find anything')}
        </label>
        <input
          id={id}
          ref={field}
          value={text}
          onChange={({ target }) => setText(target.value)}
          placeholder={t('Email, transaction, wallet, node number or ID')}
          maxLength={254}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-keyshortcuts="/"
          className={`${inputClass} min-h-11! min-w-0 flex-1`}
        />
        <Button type="submit" variant="secondary" disabled={!text.trim()} isPending={isFetching && asked !== ''}>
          <Search size={16} aria-hidden /> {t('Find')}
        </Button>
        {asked && (
          <Button variant="quiet" onClick={close}>
            <X size={16} aria-hidden /> {t('Close')}
          </Button>
        )}
      </div>
      {asked && (
        <div aria-live="polite" className="mt-2 rounded-card border border-ink-5 bg-surface empty:hidden">
          {error && (
            <p role="alert" className="px-4 py-3 text-14 text-red">
              {errorText(error, t('The server did not respond.'))}
            </p>
          )}
          {!error && data && data.results.length === 0 && (
            <p className="px-4 py-3 text-14 wrap-anywhere text-ink-10">
              {t('Nothing found for “{text}”.', { text: asked })}{' '}
              {isPartOfHex(asked) &&
                t('A transaction is found by all of it, 0x and 64 characters, and a wallet by 0x and 40 characters.')}
            </p>
          )}
          {!error && data && data.results.length > 0 && (
            <ul aria-label={t('Found')} className="divide-y divide-ink-4">
              {data.results.map((found) => (
                <li key={`${found.kind} ${found.id}`}>
                  <FoundRow found={found} onFollow={() => setAsked('')} />
                </li>
              ))}
            </ul>
          )}
          {!error && data?.isCut && (
            <p className="border-t border-ink-4 px-4 py-2 text-12 text-ink-9">{t('There are more. Type more of it.')}</p>
          )}
        </div>
      )}
    </form>
  )
}

/** Whether it looks like a transaction or a wallet that is not whole, or was copied from where it is shortened. */
const isPartOfHex = (text: string): boolean =>
  /^(0x.+|[\da-f]{40}|[\da-f]{64})$/i.test(text) && !/^0x([\da-f]{40}|[\da-f]{64})$/i.test(text)

const FoundRow = ({ found, onFollow }: { found: Found; onFollow: () => void }) => (
  <Link
    to={pathOfFound(found)}
    onClick={() => {
      onFollow()
      if (!found.userId) scrollToTabs()
    }}
    className="flex min-h-11 flex-wrap items-baseline gap-x-3 px-4 py-2.5 text-14 no-underline transition-colors hover:bg-ink-2 focus-visible:-outline-offset-2"
  >
    <strong translate="no" className="figures font-strong text-ink-12">
      {nameFound(found)}
    </strong>
    <span className="min-w-0 wrap-anywhere text-ink-11">{ownerOf(found)}</span>
    <span className="text-12 text-ink-9">{explainFound(found)}</span>
    <time dateTime={found.at.toISOString()} className="figures ml-auto text-12 text-ink-9">
      {formatTime(found.at)}
    </time>
  </Link>
)
