import type pg from 'pg'
import { logInBuyers, userIdOf } from '../reservations/prepareBuyers.ts'

export interface Holders {
  holders: number
  nodesEach: number
  /** The nodes are active from noon of this day. */
  firstDay: string
}

/** The number of logged-in holders. */
export const VISITORS = 1_000

/** Inserts holders with nodes, some of them logged in. Deletes all other rows. */
export async function prepareHolders(database: pg.Client, { holders, nodesEach, firstDay }: Holders): Promise<void> {
  const run = (text: string, parameters: unknown[] = []) => database.query(text, parameters)
  await run('truncate purchases, deposits, nodes, idempotency_keys, change_events, step_up_marks, web_sessions cascade')
  await run(
    `insert into users (id, email, password_hash, created_at)
     select ${userIdOf('n')}, n || '@example.com', '-', now() from generate_series(1, $1::int) n on conflict do nothing`,
    [holders],
  )
  await logInBuyers(database, Math.min(holders, VISITORS))
  await run(
    `insert into purchases (id, user_id, status, requested_quantity, final_quantity, unit_price, amount, created_at, opened_at, confirmed_at)
     select ${userIdOf('n')}, ${userIdOf('n')}, 'confirmed', $2, $2, 0, 0, now(), now(), now() from generate_series(1, $1::int) n`,
    [holders, nodesEach],
  )
  await run(
    `insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from)
     select (n - 1) * $2::int + i, ${userIdOf('n')}, ${userIdOf('n')}, 'bonus', $3::date + time '12:00', $3::date + time '12:00'
     from generate_series(1, $1::int) n, generate_series(1, $2::int) i`,
    [holders, nodesEach, firstDay],
  )
  await run('update supply set total = $1, paid = 0, bonus = $1, reserved = 0', [holders * nodesEach])
  await run('vacuum analyze users, web_sessions, purchases, nodes, supply')
}
