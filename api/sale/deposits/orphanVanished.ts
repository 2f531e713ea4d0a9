import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { inParallel } from '#api/platform/chain/inParallel.ts'
import { readAgreedBlock } from '#api/platform/chain/readAgreedBlock.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Watch } from './Watch.ts'

const BLOCKS_AT_ONCE = 8

interface DepositBlock {
  number: string
  hash: Hash
}

/**
 * Orphans the settled deposits of a range whose own block is no longer canonical, as two hosts show alike where two are configured, and
 * freezes their nodes (money.md 4). A reorganisation of a later block takes nothing from an earlier deposit.
 *
 * @param standing blocks that are known to be canonical.
 * @returns whether that could be told of every block; if not, the rest stays as it is and must be asked for again.
 */
export async function orphanVanished(
  watch: Watch,
  { from, to, standing = new Set() }: { from: bigint; to?: bigint; standing?: ReadonlySet<string> },
): Promise<boolean> {
  const blocks = await watch.rows<DepositBlock>(
    `select distinct block_number as number, block_hash as hash from deposits
     where chain_id = $1 and block_number >= $2 and ($3::bigint is null or block_number <= $3) and state <> 'seen' and state_before_orphaned is null`,
    [PAYMENT_CHAIN_ID, from, to ?? null],
  )
  const doubtful = blocks.filter(({ hash }) => !standing.has(hash))
  const agreements = await inParallel(doubtful, BLOCKS_AT_ONCE, ({ number }) => readAgreedBlock(watch.endpoints, BigInt(number)))
  const gone = doubtful.filter(({ hash }, index) => {
    const agreement = agreements[index]!
    return agreement.kind === 'agreed' && agreement.answer.hash !== hash
  })
  if (gone.length > 0) {
    const productNow = watch.services.clock.productNow()
    const orphaned = await watch.write((em) => orphanDepositsOf(em, gone, productNow))
    for (const hash of orphaned) watch.alert(`The final deposit ${hash} vanished in a reorganisation. Its nodes are frozen.`)
  }
  return agreements.every(({ kind }) => kind === 'agreed')
}

/** @returns the transactions of the deposits. */
async function orphanDepositsOf(em: EntityManager, blocks: readonly DepositBlock[], productNow: Date): Promise<Hash[]> {
  const rows = await sql<{ transaction_hash: Hash; purchase_id: string | null; before: string }>(
    em,
    `update deposits d set block_number = null, block_hash = null, block_time = null, log_index = null,
       state_before_orphaned = state, state = 'orphaned'
     where chain_id = $1 and state <> 'seen' and state_before_orphaned is null
       and (block_number, block_hash) in (select * from unnest($2::bigint[], $3::text[]))
     returning transaction_hash, purchase_id, state_before_orphaned as before`,
    [PAYMENT_CHAIN_ID, blocks.map(({ number }) => number), blocks.map(({ hash }) => hash)],
  )
  // One that only waited with a purchase has not paid for its nodes.
  const payments = rows.filter(({ before }) => before === 'matched' || before === 'assigned')
  const purchaseIds = payments.flatMap((row) => row.purchase_id ?? [])
  await sql(em, 'update nodes set frozen_at = $2 where purchase_id = any($1) and frozen_at is null', [purchaseIds, productNow])
  return rows.map((row) => row.transaction_hash)
}
