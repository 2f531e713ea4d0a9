import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { monthRange } from '#shared/dates.ts'
import { streamInOrder } from '#api/platform/db/streamQuery.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { query } from '#api/entities/tables.ts'
import type { Rows } from '../exports/Rows.ts'
import type { Table } from '../exports/routeExport.ts'

/** A correction counts on the day that it makes up for, as its entry of the ledger does. Archived months are read with the others. */
function readRewards(em: EntityManager, month: string | undefined) {
  const { begin, end } = month ? monthRange(month) : { begin: '0001-01-01', end: '9999-12-31' }
  const db = query(em)
  const rewards = db
    .selectFrom('distributions as d')
    .select(['d.day as day', sql<string>`'reward'`.as('kind'), 'd.user as owner', 'd.activeNodes as nodes', 'd.rate as rate'])
    .select(['d.amount as amount', 'd.createdAt as paid', 'd.id as id'])
  const archived = db
    .selectFrom('archived_distributions as o')
    .select(['o.day as day', sql<string>`'reward'`.as('kind'), 'o.user as owner', 'o.activeNodes as nodes', 'o.rate as rate'])
    .select(['o.amount as amount', 'o.createdAt as paid', 'o.id as id'])
  const corrections = db
    .selectFrom('reward_corrections as c')
    .select(['c.day as day', sql<string>`'correction'`.as('kind'), 'c.userId as owner', 'c.nodes as nodes', 'c.rate as rate'])
    .select(['c.amount as amount', 'c.createdAt as paid', 'c.id as id'])
  return (
    db
      .selectFrom(rewards.unionAll(archived).unionAll(corrections).as('r'))
      .innerJoin('users as u', 'u.id', 'r.owner')
      .select(['r.day as day', 'r.kind as kind', 'u.email as email', 'r.nodes as nodes', 'r.rate as rate'])
      .select(['r.amount as amount', 'r.paid as paidAt', 'r.id as id'])
      .where('r.day', '>=', begin)
      .where('r.day', '<', end)
      // The order of the keys, in which the rows are read one after the other: by the indexes of parts without conditions of their own.
      .orderBy('r.day')
      .orderBy('r.owner')
  )
}

const columns: readonly SpreadsheetColumn<Rows<typeof readRewards>>[] = [
  { header: 'Day (UTC)', width: 12, cell: ({ day }) => day },
  { header: 'Kind', width: 12, cell: ({ kind }) => kind },
  { header: 'User', width: 32, cell: ({ email }) => email },
  { header: 'Active nodes', width: 12, cell: ({ nodes }) => nodes },
  { header: 'Rate (XCR per node)', width: 26, cell: ({ rate }) => rate },
  { header: 'Amount (XCR)', width: 26, cell: ({ amount }) => amount },
  { header: 'Paid (UTC)', width: 20, format: 'instant', cell: ({ paidAt }) => paidAt },
  { header: 'Reward ID', width: 38, cell: ({ id }) => id },
]

/** Every reward and correction, or those of a month, oldest first. */
export const exportRewards = (em: EntityManager, { month }: { month?: string | undefined }): Table<Rows<typeof readRewards>> => ({
  name: 'Rewards',
  columns,
  rows: streamInOrder(em, (reader) => readRewards(reader, month)),
})
