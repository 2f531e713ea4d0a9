import type pg from 'pg'
import { userIdOf } from '../reservations/prepareBuyers.ts'

export interface ListSizes {
  users: number
  purchases: number
  withdrawals: number
  /** One for each of as many purchases, and an entry of the audit log for each. */
  deposits: number
}

/** Few are open at a time. */
const OPEN_ROWS = 500

/** The rows are spread over this number of days. */
const DAYS = 730
const idOf = (kind: string, n: string) => `('01900000-0000-7000-${kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`
/** SQL for the time of row n: evenly spread, and the last one now. */
const at = (n: string, count: number) => `now() - interval '${DAYS} days' * (1 - ${n}::float8 / ${count})`
const userOf = (n: string, users: number) => userIdOf(`1 + (${n}::bigint * 7919) % ${users}`)

/** Inserts users with purchases and withdrawals of two years in every state. Triggers maintain the totals. */
export async function fillLists(database: pg.Client, sizes: ListSizes): Promise<void> {
  await withoutIndexes(database, ['users', 'purchases', 'withdrawals', 'deposits', 'audit_entries'], () => fill(database, sizes))
  await database.query('vacuum analyze')
}

/** Drops the indexes of tables during the work and rebuilds them, which is many times faster than updating them with each row. */
async function withoutIndexes(database: pg.Client, tables: string[], work: () => Promise<void>): Promise<void> {
  const { rows } = await database.query<{ name: string; definition: string }>(
    `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  )
  for (const { name } of rows) await database.query(`drop index ${name}`)
  await work()
  await database.query(`set maintenance_work_mem = '512MB'`)
  for (const { definition } of rows) await database.query(definition)
}

async function fill(database: pg.Client, { users, purchases, withdrawals, deposits }: ListSizes): Promise<void> {
  await database.query(
    `insert into users (id, email, password_hash, wallet_address, created_at)
     select ${userIdOf('n')}, substr(md5(n::text), 1, 10) || n || '@' || (array['example.com', 'mail.test', 'post.example', 'web.test'])[1 + n % 4],
       '-', '0x' || lpad(to_hex(n), 40, '0'), ${at('n', users)}
     from generate_series(1, $1::int) n`,
    [users],
  )
  await database.query(
    `insert into accounts (id, kind, balance, total_earned)
     select ${userIdOf('n')}, 'user', 1e21, 2e21 from generate_series(1, $1::int) n`,
    [users],
  )
  await database.query(
    `insert into purchases (id, user_id, status, requested_quantity, final_quantity, unit_price, amount, wallet, deposit_address, transaction_hash,
       created_at, opened_at, confirmed_at, posted_at)
     select ${idOf('a000', 'n')}, ${userOf('n', users)}, status, 2, case when status = 'confirmed' then 2 end, 3e18,
       case when n % 11 = 0 then 0 else 6e18 end, '0x' || lpad(to_hex(n), 40, '0'), '0x' || repeat('d', 40), '0xaa' || lpad(to_hex(n), 62, '0'),
       ${at('n', purchases)}, ${at('n', purchases)}, case when status = 'confirmed' then ${at('n', purchases)} end, ${at('n', purchases)}
     from generate_series(1, $1::int) n,
       lateral (select case when n > $1 - ${OPEN_ROWS} and n % 5 = 0 then 'pending' when n % 5 = 0 then 'failed' when n % 5 = 1 then 'cancelled' else 'confirmed' end as status) s`,
    [purchases],
  )
  await database.query(
    `insert into withdrawals (id, user_id, amount, fee, to_address, status, review_reason, message_hash, signed_message, signature,
       transaction_hash, transfer_ordinal, created_at, requested_at, completed_at, refunded_at)
     select ${idOf('b000', 'n')}, ${userOf('n', users)}, 3000000000000000000000 + n, 5e18, '0x' || lpad(to_hex(n), 40, '0'), status,
       case when status = 'manual_review' then 'above_limit' end, lpad(to_hex(n), 64, '0'), '-', '0x',
       case when status = 'completed' then '0xbb' || lpad(to_hex(n), 62, '0') end, case when status = 'completed' then 0 end,
       ${at('n', withdrawals)}, ${at('n', withdrawals)}, case when status = 'completed' then ${at('n', withdrawals)} end,
       case when status = 'failed' then ${at('n', withdrawals)} end
     from generate_series(1, $1::int) n,
       lateral (select case when n > $1 - ${OPEN_ROWS} and n % 7 < 2 then (array['pending', 'manual_review'])[1 + n % 7] when n % 7 = 2 then 'failed' else 'completed' end as status) s`,
    [withdrawals],
  )
  await database.query(
    `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, block_number, block_hash, block_time, log_index,
       state, purchase_id, user_id, review_reason, first_seen_at, closed_at)
     select ${idOf('a100', 'n')}, 56, '0x' || lpad(to_hex(n), 64, '0'), 0, '0xab' || lpad(to_hex(n), 38, '0'), '0x' || repeat('cd', 20), 6e18, n,
       '0x' || lpad(to_hex(n), 64, '0'), ${at('n', deposits)}, 0, state, case when state = 'matched' then ${idOf('a000', 'n')} end,
       ${userOf('n', users)}, case when state = 'review' then 'unmatched' end, ${at('n', deposits)},
       case when state <> 'review' then ${at('n', deposits)} end
     from generate_series(1, $1::int) n,
       lateral (select case when n > $1 - ${OPEN_ROWS} and n % 5 = 0 then 'review' when n % 5 < 2 then 'ignored' else 'matched' end as state) s`,
    [deposits],
  )
  await database.query(
    `insert into audit_entries (id, at, actor, action, target)
     select ${idOf('a200', 'n')}, ${at('n', deposits)}, 'user:' || email, (array['login', 'otp.enable', 'wallet.register', 'withdrawal.request'])[1 + n % 4],
       'user:' || email
     from generate_series(1, $1::int) n join users on users.id = ${userOf('n', users)}`,
    [deposits],
  )
  // At most as many nodes as the supply.
  await database.query(
    `insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from)
     select n, ${userOf('n', users)}, ${idOf('a000', 'n')}, 'paid', now(), now() from generate_series(1, least(20000, $1::int)) n`,
    [purchases],
  )
}
