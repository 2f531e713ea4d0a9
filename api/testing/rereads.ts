import { sql } from '#api/platform/db/sql.ts'
import type { Sale } from './sale.ts'

/** As if the time had passed until blocks are read again. */
export const waitForRereads = ({ database }: Sale) =>
  sql(database.orm.em.fork(), `update blocks_to_reread set due_at = now() - interval '1 minute'`)

export const readRereads = ({ database }: Sale) =>
  sql<{ number: number; tries: number }>(database.orm.em.fork(), 'select number::int, tries from blocks_to_reread')
