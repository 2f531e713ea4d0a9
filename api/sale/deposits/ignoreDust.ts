import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { settingDefaults } from '#shared/settings.ts'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'
// SQL as text: window functions and groups process thousands of transfers at once. No CTE or array is joined with another set, nor asked
// with `in`: the database does not know how large they are, and might read one again for each row of the other.
import { sql } from '#api/platform/db/sql.ts'
import { arrayOf, isGone } from './transferUpsert.ts'

const price = `(coalesce((select value from setting_changes s where key = 'node_price_usdt' and effective_at <= d.block_time
  order by effective_at desc, id desc limit 1), '${settingDefaults.node_price_usdt}')::numeric * 1e18)`
const isKnown = 'exists (select from wallet_registrations r where r.address = d.sender)'

/** Whether `ignoreDust` ignores a transfer without its receipt, up to the sum of its sender. */
export const isSmall = `(d.kept_for is null and (d.amount = 0 or (d.amount < case when ${isKnown} then ${price} / 10 else ${price} end
  and not exists (select from purchases p where p.claimed_hash = d.transaction_hash and p.status in ('pending', 'manual_review'))
  and not exists (select from purchases p where p.transaction_hash = d.transaction_hash and p.owed_deposit)
  and not exists (select from purchases p where p.wallet = d.sender
    and (p.status in ('reserved', 'pending', 'manual_review') or p.owed_deposit or p.amount = d.amount)))))`

/**
 * Ignores, many in one statement and without receipts, every final transfer that buys nothing and needs no review (money.md 8, 10):
 *
 * - no value at all
 * - less than the price of a node, from an address that no account has ever registered
 * - less than a tenth of that price, from a registered address without an open or reviewed request or one that is owed its payment, while
 *   the sum ignored from that sender stays below a tenth
 *
 * A payment that vanished and is kept for its purchase is none of these: it pays for it once it is mined again.
 *
 * One endpoint alone could invent them, so `upTo` is the last block of the second reading, and those that it has not confirmed wait for
 * their receipt. So does a transaction that also contains another payment: the receipt determines the ordinals of its transfers. The
 * transactions whose receipt is known are passed in `verified`.
 *
 * Processes so many transfers that the database answers in time, to the end of their block.
 *
 * @returns the block to go on from, if more wait.
 */
export async function ignoreDust(
  em: EntityManager,
  {
    from = 0n,
    upTo,
    now,
    verified,
    batchSize = 20_000,
  }: { from?: bigint; upTo: bigint; now: Date; verified?: readonly string[]; batchSize?: number },
): Promise<bigint | undefined> {
  const [next] = verified
    ? []
    : await sql<{ block: string }>(
        em,
        `select block_number as block from deposits where state = 'seen' and not needs_receipt and block_number between $1 and $2
         order by block_number offset $3 limit 1`,
        [from, upTo, batchSize],
      )
  await sql(
    em,
    `with due as (
       select d.id, d.transaction_hash, d.sender, d.amount, d.block_number, d.log_index, ${price} as price, ${isKnown} as is_known,
         ${isSmall} as is_small
       from deposits d
       where d.state = 'seen' and d.block_number between $4 and $1
         and case when $3::text[] is null then not d.needs_receipt else d.transaction_hash = any($3) end
     ), summed as (
       select id, transaction_hash, amount, price, is_known, is_small,
         sum(amount) filter (where is_small) over (partition by sender order by block_number, log_index) as sum
       from (
         select * from due
         union all
         -- What was ignored of a sender before counts first.
         select null, null, sender, (select sum(amount) filter (where state = 'ignored' and notes is null) from deposits e
           where e.sender = k.sender), -1, 0, null, true, true
         from (select distinct sender from due where is_small and is_known) as k
       ) as rows
     ), counted as (
       select id, transaction_hash, is_small and (not is_known or amount = 0 or sum < price / 10) as is_dust
       from summed where id is not null
     ), whole as (
       select id, is_dust, $3::text[] is not null or bool_and(is_dust) over (partition by transaction_hash) as is_whole from counted
     )
     update deposits d set state = 'ignored', closed_at = $2, purchase_id = null,
       user_id = (select r.user_id from wallet_registrations r where r.address = d.sender and r.proven_at is not null
         order by r.registered_at desc limit 1)
     from whole where d.id = whole.id and is_dust and is_whole`,
    [next ? BigInt(next.block) : upTo, now, verified ?? null, from],
  )
  return next && BigInt(next.block) + 1n
}

/** The transactions with a transfer that is not small. */
export async function findPayments(em: EntityManager, transfers: readonly Transfer[]): Promise<Hash[]> {
  const rows = await sql<{ hash: Hash }>(
    em,
    `select distinct transaction_hash as hash
     from (select *, null as kept_for from unnest($1::text[], $2::text[], $3::numeric[], $4::timestamptz[])
       as t (transaction_hash, sender, amount, block_time)) as d
     where not ${isSmall}`,
    [
      arrayOf(transfers, ({ transactionHash }) => transactionHash),
      arrayOf(transfers, ({ sender }) => sender),
      arrayOf(transfers, ({ amount }) => amount),
      arrayOf(transfers, ({ blockTime }) => blockTime.toISOString()),
    ],
  )
  return rows.map(({ hash }) => hash)
}

/** The transactions of the unsettled deposits of a block that are not small. */
export async function readPayments(em: EntityManager, block: bigint): Promise<Hash[]> {
  const rows = await sql<{ hash: Hash }>(
    em,
    `select distinct d.transaction_hash as hash from deposits d
     where d.chain_id = $1 and d.block_number = $2 and (d.state = 'seen' or ${isGone}) and not ${isSmall}`,
    [PAYMENT_CHAIN_ID, block],
  )
  return rows.map(({ hash }) => hash)
}

/** Makes the small transfers of these blocks, except for the confirmed ones, wait for their receipt. */
export async function requireReceipts(
  em: EntityManager,
  { from, to, confirmed }: { from: bigint; to: bigint; confirmed: readonly Transfer[] },
): Promise<void> {
  await sql(
    em,
    `update deposits d set needs_receipt = true
     from (
       select (array_agg(id) filter (where id is not null))[1] as id
       from (
         select id, transaction_hash, ordinal from deposits d
         where d.chain_id = $1 and d.state = 'seen' and d.block_number between $2 and $3 and ${isSmall}
         union all
         select null, * from unnest($4::text[], $5::int[])
       ) as shown
       group by transaction_hash, ordinal having bool_and(id is not null)
     ) as unconfirmed
     where d.id = unconfirmed.id`,
    [
      PAYMENT_CHAIN_ID,
      from,
      to,
      arrayOf(confirmed, ({ transactionHash }) => transactionHash),
      arrayOf(confirmed, ({ ordinal }) => ordinal),
    ],
  )
}
