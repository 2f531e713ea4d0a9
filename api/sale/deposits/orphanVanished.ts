import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Hash } from 'viem'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { mapConcurrent } from '#api/platform/chain/mapConcurrent.ts'
import { readAgreedBlock } from '#api/platform/chain/readAgreedBlock.ts'
import { unnest } from '#api/platform/db/unnest.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { query } from '#api/entities/tables.ts'
import { tellFrozen } from './tellFrozen.ts'
import { nameFirst, type Watch } from './Watch.ts'

const MAX_CONCURRENT_BLOCKS = 8

/**
 * Orphans the settled deposits of a range whose block is no longer canonical and freezes their nodes (money.md 4). If two hosts are
 * configured, they must agree. A reorganization of a later block does not affect an earlier deposit.
 *
 * @param canonical hashes of blocks known to be canonical.
 * @returns whether every block could be checked; if not, the range must be checked again.
 */
export async function orphanVanished(
  watch: Watch,
  { from, to, canonical = new Set() }: { from: bigint; to?: bigint; canonical?: ReadonlySet<string> },
): Promise<boolean> {
  const blocks = await readDepositBlocks(watch, { from, to })
  const unchecked = blocks.filter(({ blockHash }) => !canonical.has(blockHash))
  const agreements = await mapConcurrent(unchecked, MAX_CONCURRENT_BLOCKS, ({ blockNumber }) =>
    readAgreedBlock(watch.endpoints, blockNumber),
  )
  const gone = unchecked.filter(({ blockHash }, index) => {
    const agreement = agreements[index]!
    return agreement.kind === 'agreed' && agreement.answer.hash !== blockHash
  })
  if (gone.length > 0) {
    const orphaned = await watch.write((em) => orphanDepositsOf(em, watch.services, gone))
    if (orphaned.length > 0)
      watch.alert(`Final deposits vanished in a reorganization. Nodes that they paid for are frozen: ${nameFirst(orphaned)}`)
  }
  return agreements.every(({ kind }) => kind === 'agreed')
}

/** The blocks of the settled deposits in the range. */
const readDepositBlocks = (watch: Watch, { from, to }: { from: bigint; to: bigint | undefined }) =>
  watch.read
    .selectFrom('deposits')
    .select((eb) => [eb.ref('blockNumber').$notNull().as('blockNumber'), eb.ref('blockHash').$notNull().as('blockHash')])
    .distinct()
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .where('blockNumber', '>=', from)
    .$if(to !== undefined, (blocks) => blocks.where('blockNumber', '<=', to!))
    .where('state', '<>', 'seen')
    .where('stateBeforeOrphaned', 'is', null)
    .execute()

type DepositBlock = Awaited<ReturnType<typeof readDepositBlocks>>[number]

/** @returns the transactions of the deposits. */
async function orphanDepositsOf(
  em: EntityManager,
  services: Watch['services'],
  blocks: readonly DepositBlock[],
): Promise<Hash[]> {
  const gone = blocks.map(({ blockNumber, blockHash }) => ({ height: blockNumber, hash: blockHash }))
  const rows = await query(em)
    .updateTable('deposits')
    .from(unnest('gone', { height: 'bigint', hash: 'text' }, gone))
    .set((eb) => ({
      blockNumber: null,
      blockHash: null,
      blockTime: null,
      logIndex: null,
      stateBeforeOrphaned: eb.ref('deposits.state'),
      state: 'orphaned',
    }))
    .where('deposits.chainId', '=', PAYMENT_CHAIN_ID)
    .where('deposits.state', '<>', 'seen')
    .where('deposits.stateBeforeOrphaned', 'is', null)
    .whereRef('deposits.blockNumber', '=', 'gone.height')
    .whereRef('deposits.blockHash', '=', 'gone.hash')
    .returning(['deposits.transactionHash', 'deposits.purchase', 'deposits.stateBeforeOrphaned'])
    .execute()
  // A deposit that was only attached for review has not paid for the purchase's nodes.
  const payments = rows.filter((row) => row.stateBeforeOrphaned === 'matched' || row.stateBeforeOrphaned === 'assigned')
  const purchaseIds = payments.flatMap((row) => row.purchase ?? [])
  const frozen = await query(em)
    .updateTable('nodes')
    .set({ frozenAt: services.clock.productNow() })
    .where('purchase', '=', sql<string>`any(${purchaseIds}::uuid[])`)
    .where('frozenAt', 'is', null)
    .returning(['user', 'purchase', 'number'])
    .execute()
  await tellFrozen(em, services, { nodes: frozen, state: 'frozen' })
  await recordChange(em, { keys: [getWaiting.path] })
  return rows.map(({ transactionHash }) => transactionHash)
}
