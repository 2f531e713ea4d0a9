import type pg from 'pg'
import type { MikroORM } from '@mikro-orm/postgresql'
import { parseAmount } from '#shared/amount.ts'
import { settingDefaults } from '#shared/settings.ts'
import { createProgress } from '#api/platform/log/createProgress.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { makeLedgerMonths } from '#api/rewards/ledger/prepareLedgerMonths.ts'
import { dayAfter, rewardInstant } from '#shared/rewardTime.ts'
import { userIdOf } from '../reservations/prepareBuyers.ts'

/** The first holders have rewards of so many days; all others buy their node on the last of them. */
export const HISTORY_DAYS = 360
/** Nine tenths of the rows are of long-standing holders, one tenth is the next day, which pays everybody. */
const ROWS_OF_USER = 10

export interface History {
  /** Rows of the ledger after the first day that pays everybody. */
  rows: number
  users: number
  /** The first of them have the whole history. */
  longStanding: number
  /** The last day that is paid. */
  lastDay: string
}

/** The sizes that belong to a number of ledger rows. */
export const historyOf = (rows: number): Omit<History, 'lastDay'> => ({
  rows,
  users: Math.round(rows / ROWS_OF_USER),
  longStanding: Math.round((rows - rows / ROWS_OF_USER) / HISTORY_DAYS),
})

/** Inserts the rewards of the past as the daily run would have, and lets everybody who has none of them own a node from the last day on. */
export async function fillHistory(
  orm: MikroORM,
  database: pg.Client,
  { firstDay, longStanding, users }: { firstDay: string; longStanding: number; users: number },
): Promise<string> {
  const progress = createProgress()
  const rate = parseAmount(settingDefaults.xcr_per_node_daily)!.toString()
  // The nodes were allocated after 09:00.
  await database.query(
    'insert into reward_runs (day, rate, closed_at, paid_at, digested_at) values ($1, $2, now(), now(), now())',
    [firstDay, rate],
  )
  let lastDay = firstDay
  let begun = dayAfter(firstDay)
  for (let done = 0; done < HISTORY_DAYS; ) {
    let days = 0
    do {
      lastDay = dayAfter(lastDay)
      days += 1
    } while (done + days < HISTORY_DAYS && !dayAfter(lastDay).endsWith('-01'))
    await makeLedgerMonths({ orm }, { from: lastDay, months: 1 })
    await fillDays(database, { from: begun, to: lastDay, longStanding, rate })
    done += days
    begun = dayAfter(lastDay)
    progress.show(`Inserting ${longStanding.toLocaleString('en-US')} rewards a day`, done, HISTORY_DAYS)
  }
  progress.end()
  await database.query(
    `insert into accounts (id, kind, balance, total_earned)
     select ${userIdOf('n')}, 'user', $2::numeric * ${HISTORY_DAYS}, $2::numeric * ${HISTORY_DAYS} from generate_series(1, $1::int) n`,
    [longStanding, rate],
  )
  await database.query('update accounts set balance = balance - $2::numeric * $3::int where id = $1', [
    houseAccounts.rewards,
    rate,
    HISTORY_DAYS * longStanding,
  ])
  await database.query('update nodes set allocated_at = $1, active_from = $1 where number > $2', [
    new Date(rewardInstant(lastDay).getTime() + 1),
    longStanding,
  ])
  if (users > longStanding) await database.query('vacuum analyze nodes')
  return lastDay
}

interface Days {
  from: string
  to: string
  longStanding: number
  rate: string
}

async function fillDays(database: pg.Client, { from, to, longStanding, rate }: Days): Promise<void> {
  const days = `generate_series($1::date, $2::date, interval '1 day') d, generate_series(1, $3::int) n`
  await database.query(
    `insert into reward_runs (day, rate, closed_at, paid_at, digested_at, users, nodes, amount)
     select d, $4::numeric, d + time '09:00', d + time '09:00', d + time '09:00', $3::int, $3::int, $4::numeric * $3::int
     from generate_series($1::date, $2::date, interval '1 day') d`,
    [from, to, longStanding, rate],
  )
  await database.query(
    `insert into distributions (day, user_id, id, active_nodes, rate, amount, created_at)
     select d::date, ${userIdOf('n')}, gen_random_uuid(), 1, $4::numeric, $4::numeric, (d::date + time '09:00') at time zone 'UTC' from ${days}`,
    [from, to, longStanding, rate],
  )
  await database.query(
    `insert into ledger_entries (date, cause, from_account, to_account, amount, recorded_at)
     select d::date, 'distribution:' || to_char(d, 'YYYY-MM-DD') || ':' || ${userIdOf('n')}, $5::uuid, ${userIdOf('n')}, $4::numeric,
       (d::date + time '09:00') at time zone 'UTC' from ${days}`,
    [from, to, longStanding, rate, houseAccounts.rewards],
  )
}
