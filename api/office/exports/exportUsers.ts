import type { EntityManager } from '@mikro-orm/postgresql'
import type { UserSort } from '#shared/contract/admin/users.ts'
import { isFrozen } from '#api/accounts/users/frozen.ts'
import { streamQuery } from '#api/platform/db/streamQuery.ts'
import type { SpreadsheetColumn } from '#api/platform/spreadsheets/writeSpreadsheet.ts'
import { inUserOrder } from '../lists/inUserOrder.ts'
import { matchUsers, type UserMatch } from '../lists/matchRows.ts'
import type { Rows } from './Rows.ts'
import type { Table } from './routeExport.ts'

const readUsers = (em: EntityManager, { sort, ...filter }: UserMatch & { sort?: UserSort | undefined }) =>
  inUserOrder(
    matchUsers(em, filter).select([
      'r.id as id',
      'r.createdAt as createdAt',
      'r.email as email',
      'r.walletAddress as wallet',
      'c.paid as paid',
      'c.bonus as bonus',
      'a.balance as balance',
      'a.totalEarned as earned',
      'r.frozenAt as frozenAt',
      'r.thawsAt as thawsAt',
      'r.isAdmin as isAdmin',
    ]),
    sort,
  )

type Row = Rows<typeof readUsers>

const columns = (now: Date): readonly SpreadsheetColumn<Row>[] => [
  { header: 'Signed up (UTC)', width: 20, format: 'instant', cell: ({ createdAt }) => createdAt },
  { header: 'Email', width: 32, cell: ({ email }) => email },
  { header: 'Wallet', width: 46, cell: ({ wallet }) => wallet },
  { header: 'Paid nodes', width: 12, cell: ({ paid }) => paid ?? 0 },
  { header: 'Bonus nodes', width: 12, cell: ({ bonus }) => bonus ?? 0 },
  { header: 'Available (XCR)', width: 26, cell: ({ balance }) => balance ?? 0n },
  { header: 'Total earned (XCR)', width: 26, cell: ({ earned }) => earned ?? 0n },
  { header: 'Role', width: 10, cell: ({ isAdmin }) => (isAdmin ? 'admin' : 'general') },
  { header: 'Frozen', width: 10, cell: (row) => (isFrozen(row, now) ? 'frozen' : null) },
  { header: 'User ID', width: 38, cell: ({ id }) => id },
]

/** All accounts that match. */
export const exportUsers = (em: EntityManager, filter: Parameters<typeof readUsers>[1]): Table<Row> => ({
  name: 'Users',
  columns: columns(filter.now),
  rows: streamQuery(em, (reader) => readUsers(reader, filter)),
})
