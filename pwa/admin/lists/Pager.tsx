import { type FormEvent, useId, useState } from 'react'
import { ChevronLeft, ChevronRight } from '#pwa/ui/icons.ts'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { inputClass } from '#pwa/ui/Field.tsx'

interface PagerProps {
  /** Plural name of the items: "users". */
  what: string
  page: number
  pageSize: number
  paging: { totalCount: number; totalPages: number; hasNextPage: boolean; hasPrevPage: boolean }
  onPage: (page: number) => void
}

/** Page navigation; nothing if everything fits on one page. */
export function Pager({ what, page, pageSize, paging, onPage }: PagerProps) {
  const { totalCount, totalPages, hasNextPage, hasPrevPage } = paging
  if (totalCount <= pageSize) return null
  return (
    <nav aria-label={t('Pages of {what}', { what })} className="mt-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="figures text-14 text-ink-10">
        {t('Total {count} {what} · Page {page} of {pages}', { count: totalCount, what, page, pages: totalPages })}
      </p>
      {totalPages > 2 && <PageJump key={page} page={page} pages={totalPages} onPage={onPage} />}
      <div className="flex gap-2 max-sm:w-full max-sm:*:flex-1">
        {/* If the list became shorter than the current page, Previous goes to the last page. */}
        <Button variant="secondary" disabled={!hasPrevPage} onClick={() => onPage(Math.min(page - 1, totalPages))}>
          <ChevronLeft size={16} aria-hidden /> {t('Previous')}
        </Button>
        <Button variant="secondary" disabled={!hasNextPage} onClick={() => onPage(page + 1)}>
          {t('Next')} <ChevronRight size={16} aria-hidden />
        </Button>
      </div>
    </nav>
  )
}

/** A page beyond the last one is the last one. */
function PageJump({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) {
  const id = useId()
  const [text, setText] = useState('')
  const wanted = Math.min(Number(text), pages)
  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (wanted >= 1 && wanted !== page) onPage(wanted)
  }
  return (
    <form noValidate onSubmit={handleSubmit} className="flex items-center gap-2">
      <label htmlFor={id} className="text-14 text-ink-10">
        {t('Go to page')}
      </label>
      <input
        id={id}
        value={text}
        onChange={({ target }) => setText(target.value.replace(/\D/g, '').slice(0, 7))}
        inputMode="numeric"
        autoComplete="off"
        placeholder={String(page)}
        className={`${inputClass} min-h-11! w-20! text-14!`}
      />
      <Button type="submit" variant="secondary" disabled={wanted < 1 || wanted === page}>
        {t('Go')}
      </Button>
    </form>
  )
}
