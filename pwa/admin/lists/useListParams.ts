import { parseAmount } from '#shared/amount.ts'
import type { Range } from '#shared/contract/admin/filters.ts'
import { useSearch } from '#pwa/lib/useSearch.ts'
import { beginOfDay, dayAfter } from '../zone/officeZone.ts'
import { readAmount, readDay, readPage } from './readParam.ts'

/** What narrows and orders a list, as in the address. Empty: not at all. */
export interface ListFilter<Status extends string = never, Kind extends string = never, Sort extends string = never> {
  status: Status | null
  kind: Kind | null
  /** Days, YYYY-MM-DD, both included. */
  from: string
  to: string
  /** Decimal amounts. */
  min: string
  max: string
  sort: Sort | null
}

export type AnyFilter = ListFilter<string, string, string>

interface Choices<Status extends string, Kind extends string, Sort extends string> {
  statuses?: readonly Status[]
  kinds?: readonly Kind[]
  sorts?: readonly Sort[]
}

/** Search text, filter and page of a list. Kept in the address for reload, Back and sharing. */
export function useListParams<Status extends string = never, Kind extends string = never, Sort extends string = never>({
  statuses = [],
  kinds = [],
  sorts = [],
}: Choices<Status, Kind, Sort> = {}) {
  const [params, setParams] = useSearch()
  const email = params.get('email') ?? ''
  const oneOf = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === params.get(name)) ?? null
  const filter: ListFilter<Status, Kind, Sort> = {
    status: oneOf('status', statuses),
    kind: oneOf('kind', kinds),
    from: readDay(params.get('from')),
    to: readDay(params.get('to')),
    min: readAmount(params.get('min')),
    max: readAmount(params.get('max')),
    sort: oneOf('sort', sorts),
  }
  const page = readPage(params.get('page'))

  function go(next: Partial<ListFilter<Status, Kind, Sort>> & { email?: string; page: number }) {
    const place = { email, ...filter, ...next }
    const changed = new URLSearchParams(params)
    for (const [name, value] of Object.entries({ ...place, page: place.page > 1 ? String(place.page) : '' }))
      if (value) changed.set(name, String(value))
      else changed.delete(name)
    setParams(changed)
  }

  return {
    /** Empty: no search. */
    email,
    ...filter,
    filter,
    page,
    /** Whether the list is not the whole one. */
    isFiltered: email !== '' || Object.entries(filter).some(([name, value]) => name !== 'sort' && Boolean(value)),
    /** Starts at page 1; an empty text shows the whole list. */
    search: (text: string) => go({ email: text.trim(), page: 1 }),
    /** Starts at page 1. */
    narrow: (next: Partial<ListFilter<Status, Kind, Sort>>) => go({ ...next, page: 1 }),
    goTo: (next: number) => go({ page: next }),
  }
}

interface FilterQuery<Filter extends AnyFilter> extends Range {
  status?: NonNullable<Filter['status']>
  kind?: NonNullable<Filter['kind']>
  sort?: NonNullable<Filter['sort']>
}

/** The filter as a call takes it. Its days are those of the zone. */
export function queryOf<Filter extends AnyFilter>(
  { status, kind, from, to, min, max, sort }: Filter,
  zone: string,
): FilterQuery<Filter> {
  return {
    ...(status && { status: status as NonNullable<Filter['status']> }),
    ...(kind && { kind: kind as NonNullable<Filter['kind']> }),
    ...(from && { from: beginOfDay(from, zone) }),
    ...(to && { until: beginOfDay(dayAfter(to), zone) }),
    ...(min && { min: parseAmount(min)! }),
    ...(max && { max: parseAmount(max)! }),
    ...(sort && { sort: sort as NonNullable<Filter['sort']> }),
  }
}
