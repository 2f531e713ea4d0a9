import type { MikroORM } from '@mikro-orm/postgresql'
import { parseAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'

/** The account that gives tests their XCR. It is separate, so that the audit does not expect a distribution for it. */
export const XCR_SOURCE = '00000000-0000-7000-8000-0000000000ff'

export async function giveXcr(orm: MikroORM, userId: string, xcr: string): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    await sql(em, `insert into accounts (id, kind, may_go_negative) values ($1, 'rewards', true) on conflict do nothing`, [
      XCR_SOURCE,
    ])
    await moveXcr(em, [
      { from: XCR_SOURCE, to: userId, amount: parseAmount(xcr)!, cause: `test:${newId()}`, date: utcDay(new Date()) },
    ])
  })
}
