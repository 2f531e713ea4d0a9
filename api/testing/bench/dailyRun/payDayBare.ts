import type pg from 'pg'
import { houseAccounts } from '../../../ledger/houseAccounts.ts'

/** Pays a day as somebody would who types it into psql: three kinds of rows, and nothing is checked or remembered. */
export async function payDayBare(database: pg.Client, { day, rate }: { day: string; rate: bigint }): Promise<void> {
  await database.query(`
    begin;
    insert into distributions (day, user_id, id, active_nodes, rate, amount, created_at)
      select '${day}', user_id, gen_random_uuid(), count(*), ${rate}, count(*) * ${rate}, '${day} 09:00Z'
      from nodes where active_from <= '${day} 09:00Z' and frozen_at is null group by user_id;
    insert into ledger_entries (date, cause, from_account, to_account, amount, recorded_at)
      select day, 'distribution:${day}:' || user_id, '${houseAccounts.rewards}', user_id, amount, now()
      from distributions where day = '${day}';
    update accounts set balance = balance + d.amount, total_earned = total_earned + d.amount
      from distributions d where d.day = '${day}' and d.user_id = accounts.id;
    update accounts set balance = balance - (select sum(amount) from distributions where day = '${day}')
      where id = '${houseAccounts.rewards}';
    commit`)
}
