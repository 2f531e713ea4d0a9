import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

/** Complete months before the current one that stay in the ledger. */
export const KEPT_MONTHS = 13

export interface ArchivableMonth {
  /** YYYY-MM. */
  name: string
  /** Its first day, and that of the next month. */
  begin: string
  end: string
}

/** The suffix of the names of its partitions. */
export const suffixOf = ({ name }: Pick<ArchivableMonth, 'name'>): string => `_${name.replace('-', '_')}`

const MONTHS = `
  select to_char(month, 'YYYY-MM') as name, to_char(month, 'YYYY-MM-DD') as begin, to_char(month + interval '1 month', 'YYYY-MM-DD') as end`

/** Months in the ledger that are older than the kept ones, oldest first. */
export const findOldMonths = (
  em: EntityManager,
  { productNow, keptMonths }: { productNow: Date; keptMonths: number },
): Promise<ArchivableMonth[]> =>
  sql(
    em,
    `${MONTHS} from (
       select distinct to_date(substring(inhrelid::regclass::text from '\\d{4}_\\d{2}$'), 'YYYY_MM') as month from pg_inherits
       where inhparent = any(array['ledger_entries', 'distributions']::regclass[])
     ) partitions
     where month < date_trunc('month', $1::timestamptz at time zone 'UTC') - $2 * interval '1 month' order by month`,
    [productNow, keptMonths],
  )

export interface ArchivedMonth extends ArchivableMonth {
  entries: string
  ledger_sha256: string
  rewards_sha256: string
  /** Whether the entries of the ledger are still in the database. */
  isKept: boolean
}

/** Oldest first. */
export const findArchivedMonths = (em: EntityManager): Promise<ArchivedMonth[]> =>
  sql(
    em,
    `${MONTHS}, entries, ledger_sha256, rewards_sha256,
       to_regclass('archived_ledger_entries' || to_char(month, '_YYYY_MM')) is not null as "isKept"
     from archived_months order by month`,
  )
