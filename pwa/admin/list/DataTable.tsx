import clsx from 'clsx'
import type { KeyboardEvent, ReactNode } from 'react'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'

export interface Column<Row> {
  head: string
  /** For figures. */
  isRight?: boolean
  /** Below the other columns of a card on a phone, without its head: for buttons. */
  isFooter?: boolean
  className?: string
  cell: (row: Row) => ReactNode
}

interface DataTableProps<Row> {
  /** What it is a table of, for whoever does not see it. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Another part of the list is on its way, and this one is still shown. */
  isStale?: boolean
}

/** A dense table with a head that stays, and on a narrow screen a card for each row. Arrows move from row to row, Enter goes into one. */
export function DataTable<Row>({ label, columns, rows, keyOf, isStale = false }: DataTableProps<Row>) {
  return (
    <div className="rounded-card border border-ink-5 bg-surface lg:max-h-[80dvh] lg:overflow-auto">
      <table
        aria-label={label}
        aria-busy={isStale}
        className={clsx('w-full text-14 transition-opacity max-lg:block', isStale && 'opacity-60')}
      >
        <Head columns={columns} />
        <tbody className="divide-y divide-ink-5 max-lg:block">
          {rows.map((row, index) => (
            <tr
              key={keyOf(row)}
              tabIndex={index === 0 ? 0 : -1}
              onKeyDown={moveAmongRows}
              className="hover:bg-ink-2 focus-visible:-outline-offset-2 max-lg:block max-lg:px-4 max-lg:py-3 lg:h-9"
            >
              {columns.map((column, place) => (
                <td
                  key={column.head}
                  data-label={column.head}
                  className={clsx(
                    'lg:px-2 lg:py-1 lg:first:pl-4 lg:last:pr-4',
                    'max-lg:flex max-lg:items-baseline max-lg:justify-between max-lg:gap-4 max-lg:py-0.5 max-lg:empty:hidden',
                    place > 0 &&
                      !column.isFooter &&
                      'max-lg:text-right max-lg:before:shrink-0 max-lg:before:text-ink-9 max-lg:before:content-[attr(data-label)]',
                    place === 0 && 'max-lg:font-strong',
                    column.isFooter && 'max-lg:pt-2',
                    column.isRight && 'figures lg:text-right',
                    column.className,
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Head = <Row,>({ columns }: { columns: readonly Column<Row>[] }) => (
  <thead className="sticky top-0 z-10 bg-surface shadow-[inset_0_-1px_0_var(--ink-5)] max-lg:sr-only">
    <tr className="text-left text-12 text-ink-9">
      {columns.map(({ head, isRight }) => (
        <th
          key={head}
          scope="col"
          className={clsx('h-9 px-2 font-normal whitespace-nowrap first:pl-4 last:pr-4', isRight && 'text-right')}
        >
          {head}
        </th>
      ))}
    </tr>
  </thead>
)

/** From row to row, and from a row to the first thing in it that can be pressed. */
function moveAmongRows(event: KeyboardEvent<HTMLTableRowElement>): void {
  if (event.target !== event.currentTarget) return
  const { currentTarget: row, key } = event
  const next = {
    ArrowDown: row.nextElementSibling,
    ArrowUp: row.previousElementSibling,
    Enter: row.querySelector('td:last-child button') ?? row.querySelector('button, a'),
  }[key]
  if (!(next instanceof HTMLElement)) return
  event.preventDefault()
  next.focus()
}

/** In the place of a table that is being loaded. */
export const TableSkeleton = ({ label, rows }: { label: string; rows: number }) => (
  <div role="status" className="rounded-card border border-ink-5 bg-surface p-4">
    <span className="sr-only">{label}</span>
    {Array.from({ length: rows }, (_, row) => (
      <Skeleton key={row} className="my-2.5 h-4 max-lg:h-24" />
    ))}
  </div>
)
