import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { findTool } from '#api/testing/findTool.ts'
import { runCommand } from '../startProgram.ts'

/**
 * Pays a day by plain SQL in psql: the same rows without any checks.
 *
 * @returns the milliseconds measured by psql.
 */
export async function payDayBare(url: string, { day, rate }: { day: string; rate: bigint }): Promise<number> {
  const statements = `
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
    commit`
  const output = await runCommand(findTool('psql'), [
    '--no-psqlrc',
    '--quiet',
    '--set=ON_ERROR_STOP=1',
    '--command=\\timing on',
    `--command=${statements}`,
    url,
  ])
  const [, milliseconds] = /^Time: ([\d.]+) ms/m.exec(output) ?? []
  if (!milliseconds) throw new Error(`psql printed no time:\n${output}`)
  return Number(milliseconds)
}
