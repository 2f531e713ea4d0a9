import type { EntityManager } from '@mikro-orm/postgresql'
import type { BonusSort } from '#shared/contract/admin/bonus.ts'
import { NODES_PER_BONUS } from '#shared/sale.ts'
import { streamQuery } from '#api/platform/db/streamQuery.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { bonusOrders } from '../lists/listBonusStatus.ts'
import { type BonusMatch, matchBonus } from '../lists/matchRows.ts'
import type { Rows } from './Rows.ts'
import type { Table } from './routeExport.ts'

function readBonus(em: EntityManager, { sort = 'pending', ...filter }: BonusMatch & { sort?: BonusSort | undefined }) {
  const [first, second] = bonusOrders[sort]
  return matchBonus(em, filter)
    .select(['u.id as id', 'u.email as email', 'c.paid as paid', 'c.bonus as received', 'c.pending as pending'])
    .orderBy(`c.${first}`, 'desc')
    .orderBy(`c.${second}`, 'desc')
    .orderBy('c.user')
}

const columns: readonly SpreadsheetColumn<Rows<typeof readBonus>>[] = [
  { header: 'User', width: 32, cell: ({ email }) => email },
  { header: 'Paid nodes', width: 12, cell: ({ paid }) => paid },
  { header: 'Bonus eligible', width: 14, cell: ({ paid }) => Math.floor(paid / NODES_PER_BONUS) },
  { header: 'Received', width: 12, cell: ({ received }) => received },
  { header: 'Pending', width: 12, cell: ({ pending }) => pending },
  { header: 'User ID', width: 38, cell: ({ id }) => id },
]

/** The bonuses of all accounts that match. */
export const exportBonus = (em: EntityManager, filter: Parameters<typeof readBonus>[1]): Table<Rows<typeof readBonus>> => ({
  name: 'Bonus status',
  columns,
  rows: streamQuery(em, (reader) => readBonus(reader, filter)),
})
