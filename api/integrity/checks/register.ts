import { parseEntry } from '#shared/register/entries.ts'
import { hashBlock } from '#shared/register/dayTree.ts'
import { LEAF_SIZE, parseLeaf } from '#shared/register/nodeLeaf.ts'
import { BLOCK_SIZE, rootOf } from '#shared/register/tree.ts'
import { equalBytes } from '#shared/register/bytes.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { formatAmount } from '#shared/amount.ts'
import { sql } from '#api/platform/db/sql.ts'
import { ARCHIVED_BEFORE, CARRIED } from '../archivedSql.ts'
import type { Check } from '../Check.ts'

/** The published entries have their hashes, without a gap, and the newest checkpoint covers all of them. */
export const registerLog: Check = {
  name: "The register's entries have their hashes, and the newest checkpoint is the root of all",
  async run(em) {
    const rows = await sql<{ index: number; leaf_hash: Buffer; is_own: boolean }>(
      em,
      `select index, leaf_hash, leaf_hash = sha256('\\x00'::bytea || convert_to(text, 'UTF8')) as is_own from register_entries order by index`,
    )
    const differences = rows.flatMap(({ index, is_own }, place) => [
      ...(is_own ? [] : [`entry ${index} of the register has another hash than its text`]),
      ...(index === place ? [] : [`entry ${place} of the register is missing`]),
    ])
    const [checkpoint] = await sql<{ size: number; root: Buffer }>(
      em,
      'select size, root from register_checkpoints order by size desc limit 1',
    )
    const root = rootOf(rows.map(({ leaf_hash }) => leaf_hash))
    if ((checkpoint?.size ?? 0) !== rows.length || (checkpoint && !equalBytes(checkpoint.root, root)))
      differences.push(`the newest checkpoint, of ${checkpoint?.size ?? 0} entries, is not that of the ${rows.length} entries`)
    return differences.slice(0, MAX_DIFFERENCES)
  },
}

/** A damaged log has many; the first ones show where it begins. */
const MAX_DIFFERENCES = 100

/** SQL: the value of a line of an entry's text. */
const line = (name: string): string => `substring(e.text from E'\\n${name} ([^\\n]*)\\n')`

/** Deposits whose decisions are all published, compared with their current entries. Settings, days and payouts likewise. */
export const registerFacts: Check = {
  name: 'The register shows deposits, payouts, settings and days as their rows do',
  async run(em) {
    const rows = await sql<{ difference: string }>(
      em,
      `with current as materialized (
         select distinct on (identity) identity, kind, text from register_entries where identity is not null order by identity, index desc
       )
       select 'deposit ' || e.identity || ' is published as ' || ${line('decision')} || ' of ' || ${line('amount')} || ', its row says '
         || d.state || ' of ' || d.amount as difference
       from current e join deposits d on e.kind = 'deposit' and d.transaction_hash || ' ' || d.ordinal = e.identity
       where not exists (select from deposit_decisions x where x.deposit_id = d.id
           and not exists (select from register_entries p where p.subject = 'decision:' || x.id)
           and not exists (select from deposit_decisions y join register_entries p on p.subject = 'decision:' || y.id
             where y.deposit_id = d.id and y.id > x.id))
         and (${line('amount')}::numeric <> d.amount and ${line('decision')} <> 'vanished' or ${line('decision')} <> case
           when d.state_before_orphaned is not null then 'orphaned'
           when d.state = 'seen' then 'vanished'
           when d.state in ('matched', 'assigned') then 'counted'
           when d.state = 'refunded' and 2 * d.refunded_amount < d.amount then 'ignored'
           else d.state end)
       union all
       select 'withdrawal ' || w.id || ' is published as ' || ${line('state')} || ' of ' || ${line('net')} || ', its row says '
         || w.status || ' of ' || (w.amount - w.fee)
       from register_entries e join withdrawals w on e.kind = 'payout' and e.subject = 'withdrawal:' || w.id || ':closed'
       where ${line('net')}::numeric <> w.amount - w.fee or ${line('fee')}::numeric <> w.fee
         or (${line('state')} = 'refunded') <> (w.status = 'failed') or w.status not in ('completed', 'failed')
       union all
       select 'the ' || e.kind || ' published as ' || ${line('(?:rate|price|fee)')} || ' was set to ' || s.value
       from register_entries e join setting_changes s on e.subject = 'setting:' || s.id
       where e.kind in ('rate', 'price', 'fee') and ${line('(?:rate|price|fee)')}::numeric <> s.value::numeric * 1e18
       union all
       select 'day ' || r.day || ' is published with rewards of ' || ${line('rewards')} || ', it paid ' || r.amount
       from register_entries e join reward_runs r on e.subject = 'day:' || r.day
       where e.kind = 'day' and (${line('rewards')}::numeric <> r.amount or ${line('rate')}::numeric <> r.rate)
       order by 1`,
    )
    return rows.map(({ difference }) => difference)
  },
}

interface PaidAccount {
  user_id: string
  numbers: number[]
  paid: string
}

/** The newest published day against the nodes and what their owners were paid. */
export const registerLeaves: Check = {
  name: "The newest day of the register has its root, and its leaves have earned what the nodes' owners were paid",
  async run(em) {
    const [last] = await sql<{ day: string; root: Buffer; leaves: Buffer; text: string; books: string }>(
      em,
      `select d.day, d.root, d.leaves, e.text, b.text as books from register_days d
       join register_entries e on e.subject = 'day:' || d.day
       cross join lateral (select text from register_entries where kind = 'books' order by index desc limit 1) b
       order by d.day desc limit 1`,
    )
    if (!last) return []
    const entry = parseEntry(last.text)
    const books = parseEntry(last.books)
    if (entry.kind !== 'day' || books.kind !== 'books') return [`the entry of day ${last.day} is none`]
    const differences: string[] = []
    const blocks: Uint8Array[] = []
    for (let start = 0; start < last.leaves.length; start += BLOCK_SIZE * LEAF_SIZE)
      blocks.push(hashBlock(last.leaves.subarray(start, start + BLOCK_SIZE * LEAF_SIZE)))
    if (!equalBytes(rootOf(blocks), entry.nodes.root) || !equalBytes(last.root, entry.nodes.root))
      differences.push(`the leaves of day ${last.day} have another root than its entry`)
    const accounts = await sql<PaidAccount>(
      em,
      `select n.user_id, array_agg(n.number) as numbers,
         coalesce((select sum(amount) from distributions x where x.user_id = n.user_id and x.day <= $1), 0) +
         coalesce((select distributed from ${CARRIED} carried where account_id = n.user_id), 0) +
         coalesce((select sum(c.amount) from reward_corrections c
           left join ledger_entries l on l.date = c.day and l.cause = 'correction:' || to_char(c.day, 'YYYY-MM-DD') || ':' || c.purchase_id
           where c.user_id = n.user_id and (l.recorded_at <= $3 or c.day < ${ARCHIVED_BEFORE})), 0) as paid
       from nodes n where n.allocated_at <= $2 group by n.user_id`,
      [last.day, rewardInstant(last.day), books.time],
    )
    const owned = new Set<number>()
    for (const { user_id, numbers, paid } of accounts) {
      let earned = 0n
      for (const number of numbers) {
        owned.add(number)
        const leaf = parseLeaf(last.leaves.subarray((number - 1) * LEAF_SIZE, number * LEAF_SIZE))
        if (leaf.state === 'free') differences.push(`node ${number} is free in the register on ${last.day}`)
        earned += leaf.earned
      }
      if (earned !== BigInt(paid))
        differences.push(
          `the nodes of account ${user_id} have earned ${formatAmount(earned)} XCR in the register, it was paid ${formatAmount(BigInt(paid))}`,
        )
    }
    for (let number = 1; number <= last.leaves.length / LEAF_SIZE; number++)
      if (last.leaves[(number - 1) * LEAF_SIZE + 1] !== 0 && !owned.has(number))
        differences.push(`node ${number} is owned in the register on ${last.day}, and nobody owns it`)
    return differences
  },
}
