import { ChevronLeft, ChevronRight } from 'lucide-react'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Button } from '#pwa/ui/Button.tsx'

export interface Paging {
  totalCount: number
  currentPage: number
  totalPages: number
  hasNextPage: boolean
  hasPrevPage: boolean
}

interface PagerProps {
  paging: Paging
  /** What is counted: "purchases". */
  what: string
  onPage: (page: number) => void
}

/** Back and forth through a list of more than one page. */
export function Pager({ paging, what, onPage }: PagerProps) {
  const { totalCount, currentPage, totalPages, hasNextPage, hasPrevPage } = paging
  if (totalPages <= 1) return null
  return (
    <nav aria-label={`Pages of ${what}`} className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="figures text-14 text-ink-10" aria-live="polite">
        Page {formatCount(currentPage)} of {formatCount(totalPages)} · {formatCount(totalCount)} {what}
      </p>
      <div className="flex gap-2 max-sm:w-full">
        <Button variant="secondary" disabled={!hasPrevPage} onClick={() => onPage(currentPage - 1)} className="max-sm:grow">
          <ChevronLeft size={16} aria-hidden /> Previous
        </Button>
        <Button variant="secondary" disabled={!hasNextPage} onClick={() => onPage(currentPage + 1)} className="max-sm:grow">
          Next <ChevronRight size={16} aria-hidden />
        </Button>
      </div>
    </nav>
  )
}
