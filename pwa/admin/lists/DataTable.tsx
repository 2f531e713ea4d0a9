// With `display: block`, as on a phone, browsers drop the table semantics, so the roles are explicit.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role, jsx-a11y/no-noninteractive-element-interactions */
import clsx from 'clsx'
import type { ReactNode } from 'react'
import { moveByArrows } from './moveByArrows.ts'

export interface Column<Row> {
  /** The column's name; on a phone it is shown beside each value. */
  name: string
  /** Shown in the header in place of the name. */
  head?: ReactNode
  cell: (row: Row) => ReactNode
  /** Right-aligned, for figures. */
  isRight?: boolean
  /** On a phone the value takes the whole width, for the first column and the actions. */
  isWide?: boolean
  /** Class of the cells. */
  className?: string
}

interface DataTableProps<Row> {
  /** Accessible name of the table. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Set while other rows are being fetched. */
  isBusy?: boolean
}

/**
 * The tables of the back office: dense with a sticky header on desktop, cards on a phone. They scroll sideways where they do not fit; the
 * widths are in rem, because enlarged text needs more of the same room.
 */
export function DataTable<Row>({ label, columns, rows, keyOf, isBusy = false }: DataTableProps<Row>) {
  return (
    <div className="@container">
      <div className="overflow-x-auto md:rounded-card md:border md:border-ink-5 md:bg-surface xl:@min-[66rem]:overflow-x-visible">
        <table
          role="table"
          aria-label={label}
          aria-busy={isBusy}
          className={clsx('w-full text-14 transition-opacity max-md:block', isBusy && 'opacity-60')}
        >
          <thead role="rowgroup" className="max-md:sr-only">
            <tr role="row">
              {columns.map(({ name, head, isRight }) => (
                <th
                  key={name}
                  role="columnheader"
                  scope="col"
                  className={clsx(
                    'z-10 border-b border-ink-5 bg-ink-2 px-2 py-2 text-12 font-normal whitespace-nowrap text-ink-10 first:rounded-tl-card first:pl-4 last:rounded-tr-card last:pr-4 xl:@min-[66rem]:sticky xl:@min-[66rem]:top-16',
                    isRight ? 'text-right' : 'text-left',
                  )}
                >
                  {head ?? name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody
            role="rowgroup"
            onKeyDown={moveByArrows}
            className="max-md:flex max-md:flex-col max-md:gap-3 md:divide-y md:divide-ink-4"
          >
            {rows.map((row) => (
              <tr
                key={keyOf(row)}
                role="row"
                className="transition-colors max-md:block max-md:rounded-card max-md:border max-md:border-ink-5 max-md:bg-surface max-md:px-4 max-md:py-2 md:h-9 md:hover:bg-ink-2"
              >
                {columns.map(({ name, cell, isRight, isWide, className }) => (
                  <td
                    key={name}
                    role="cell"
                    data-name={name}
                    className={clsx(
                      'md:px-2 md:py-1 md:first:pl-4 md:last:pr-4',
                      isRight && 'md:text-right',
                      isWide
                        ? 'max-md:block max-md:py-1'
                        : 'max-md:flex max-md:min-h-8 max-md:items-center max-md:justify-between max-md:gap-4 max-md:text-right max-md:before:shrink-0 max-md:before:text-ink-9 max-md:before:content-[attr(data-name)] max-md:@max-[15rem]:block max-md:@max-[15rem]:py-1 max-md:@max-[15rem]:text-left max-md:@max-[15rem]:before:block',
                      className,
                    )}
                  >
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
