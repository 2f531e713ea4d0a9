import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { mapConcurrent } from '#api/platform/chain/mapConcurrent.ts'
import { readAgreedBlock } from '#api/platform/chain/readAgreedBlock.ts'
import { readAgreedReceipt, transfersIn } from '#api/platform/chain/readAgreedReceipt.ts'
import type { Block, Transfer } from '#api/platform/chain/readTransfers.ts'
// SQL as text: like storeDeposits, an upsert whose columns depend on the existing row.
import { sql } from '#api/platform/db/sql.ts'
import { isSmall } from './ignoreDust.ts'
import { rereadSoon } from './rereads.ts'
import { thawNodes } from './thawNodes.ts'
import {
  arrayOf,
  insertDeposits,
  isDust,
  isGone,
  isOpen,
  isSame,
  overwriteUnless,
  parametersOf,
  transferRows,
} from './transferUpsert.ts'
import { nameFirst, type Watch } from './Watch.ts'

/** Maximum number of receipts requested at the same time. */
const MAX_CONCURRENT_RECEIPTS = 16

export interface Verification {
  verified: Hash[]
  /** No host has a receipt of them. */
  absent: Hash[]
  /** Number of deposits that no reading had found. */
  added: number
  /** Transactions of orphaned deposits that were mined again with other transfers. */
  changed: Hash[]
}

interface Verified {
  hash: Hash
  /** False if no host has a receipt, which may be temporary. */
  hasReceipt: boolean
  /** Every transfer to us, numbered by the receipt; none if the transaction failed or does not exist. */
  transfers: Transfer[]
}

/**
 * Replaces the data of readings by the receipts, the only basis on which anything is credited (money.md 1, 2). Two hosts, if two are
 * configured, must agree on the receipt, the block and the block's time. Omitted transfers are added, invented ones are detached from their
 * block, and an orphaned deposit that is on the chain again is restored.
 *
 * Transactions in blocks after `finalNumber`, and those on which no two hosts agree, are left for a later round.
 *
 * @param options `isReread`: the blocks are just being read again. Otherwise those of payments without a receipt will be.
 */
export async function verifyTransactions(
  watch: Watch,
  { hashes, finalNumber, isReread }: { hashes: readonly Hash[]; finalNumber: bigint; isReread: boolean },
): Promise<Verification> {
  const filter = await watch.readFilter()
  const recipients = new Set<string>(filter.recipients)
  const blocks = new Map<bigint, Promise<Block | undefined>>()
  const blockAt = (number: bigint) => {
    if (!blocks.has(number)) blocks.set(number, readTrustedBlock(watch, number))
    return blocks.get(number)!
  }
  const contradictions: { hash: Hash; hosts: string }[] = []
  const verified = await mapConcurrent(hashes, MAX_CONCURRENT_RECEIPTS, async (hash): Promise<Verified | undefined> => {
    const agreement = await readAgreedReceipt(watch.endpoints, hash)
    if (agreement.kind === 'absent') return { hash, hasReceipt: false, transfers: [] }
    if (agreement.kind !== 'agreed') {
      if (agreement.kind === 'disagree') contradictions.push({ hash, hosts: agreement.hosts.join(' and ') })
      return undefined
    }
    const receipt = agreement.answer
    const block = await blockAt(receipt.blockNumber)
    if (block?.hash !== receipt.blockHash || receipt.blockNumber > finalNumber) return undefined
    return {
      hash,
      hasReceipt: true,
      transfers: transfersIn(receipt, filter.token)
        .filter(({ recipient }) => recipients.has(recipient))
        .map((transfer, ordinal) => ({
          ...transfer,
          ordinal,
          transactionHash: hash,
          blockNumber: receipt.blockNumber,
          blockHash: receipt.blockHash,
          blockTime: block.time,
        })),
    }
  })
  for (const [hosts, about] of Map.groupBy(contradictions, (contradiction) => contradiction.hosts))
    watch.alertOnce(
      hosts,
      `The endpoints ${hosts} contradict each other. Payments are not credited until two agree: ${nameFirst(about.map(({ hash }) => hash))}`,
    )
  const known = verified.filter((transaction) => transaction !== undefined)
  const { added, changed } = known.length > 0 ? await writeVerified(watch, known, isReread) : { added: 0, changed: [] }
  const [mined, absent] = [true, false].map((isMined) =>
    known.filter(({ hasReceipt }) => hasReceipt === isMined).map(({ hash }) => hash),
  ) as [Hash[], Hash[]]
  return { verified: mined, absent, added, changed }
}

async function readTrustedBlock(watch: Watch, number: bigint): Promise<Block | undefined> {
  const agreement = await readAgreedBlock(watch.endpoints, number)
  return agreement.kind === 'agreed' ? agreement.answer : undefined
}

async function writeVerified(
  watch: Watch,
  verified: readonly Verified[],
  isReread: boolean,
): Promise<Pick<Verification, 'added' | 'changed'>> {
  const transfers = verified.flatMap((transaction) => transaction.transfers)
  const { added, changed, invented } = await watch.write(async (em) => {
    const { returned, ...stored } = await storeVerified(em, transfers, watch.services.clock.productNow())
    await thawNodes(em, watch.services, { purchaseIds: returned, state: 'thawed' })
    return { ...stored, invented: await detachInvented(em, verified, { isReread }) }
  })
  for (const { id } of changed)
    watch.alertOnce(
      id,
      `The orphaned deposit ${id} was mined again as something else. It stays orphaned until someone reviews it.`,
    )
  if (invented.length > 0)
    watch.alertOnce(
      'invented',
      `Deposits that are not in their receipts are not credited: ${nameFirst(invented.map(({ hash }) => hash))}`,
    )
  return { added, changed: changed.map(({ hash }) => hash) }
}

interface Stored {
  /** Number of deposits that no reading had found. */
  added: number
  /** Purchases whose orphaned deposits are on the chain again. */
  returned: string[]
  /** Orphaned deposits whose ordinal now has another transfer. */
  changed: { id: string; hash: Hash }[]
}

/** Overwrites unsettled rows with their receipts, adds omitted transfers, and restores orphaned deposits. */
async function storeVerified(em: EntityManager, transfers: readonly Transfer[], firstSeenAt: Date): Promise<Stored> {
  if (transfers.length === 0) return { added: 0, returned: [], changed: [] }
  const rows = await sql<{
    id: string
    hash: Hash
    purchase_id: string | null
    added: boolean
    returned: boolean
    changed: boolean
  }>(
    em,
    `${insertDeposits}
     select id, $2, transaction_hash, ordinal, log_index, sender, recipient, amount, block_number, block_hash, block_time, $12, 'seen'
     from ${transferRows({ block_number: 'bigint', block_hash: 'text', block_time: 'timestamptz' })}
     ${overwriteUnless(isGone)},
       needs_receipt = false,
       kept_for = case when ${isSame} then d.kept_for end,
       state = case when ${isGone} and ${isSame} then d.state_before_orphaned when ${isDust} and not ${isSame} then 'seen' else d.state end,
       state_before_orphaned = case when not ${isSame} then d.state_before_orphaned end
     where ${isOpen}
     returning d.id, d.transaction_hash as hash, d.purchase_id, d.xmax = 0 as added, d.state not in ('seen', 'ignored') and not ${isGone} as returned, ${isGone} as changed`,
    [
      ...parametersOf(transfers),
      arrayOf(transfers, ({ blockNumber }) => blockNumber),
      arrayOf(transfers, ({ blockHash }) => blockHash),
      arrayOf(transfers, ({ blockTime }) => blockTime.toISOString()),
      firstSeenAt,
    ],
  )
  return {
    added: rows.filter((row) => row.added).length,
    returned: rows.flatMap((row) => (row.returned && row.purchase_id ? [row.purchase_id] : [])),
    changed: rows.filter((row) => row.changed),
  }
}

/**
 * Detaches deposits that are not in their receipt from their block, so that they bind no request. A receipt that is missing for a moment
 * loses no payment: the deposit keeps its block until that is read again, and is stored again as soon as it has a receipt.
 */
async function detachInvented(
  em: EntityManager,
  verified: readonly Verified[],
  { isReread }: { isReread: boolean },
): Promise<{ id: string; hash: string }[]> {
  const rows = await sql<{ id: string; hash: string; block: string; is_missing: boolean }>(
    em,
    `with gone as (
       select d.id, d.transaction_hash, d.block_number, not t.is_mined and not (d.needs_receipt and ${isSmall}) as is_missing
       from deposits d join unnest($1::text[], $2::int[], $3::boolean[]) as t (hash, count, is_mined)
         on d.transaction_hash = t.hash and d.ordinal >= t.count
       where d.chain_id = $4 and (d.state = 'seen' or ${isGone}) and d.block_number is not null
     ), taken_out as (
       update deposits d set block_number = null, block_hash = null, block_time = null, log_index = null
       from gone where d.id = gone.id and (not is_missing or $5)
     )
     select id, transaction_hash as hash, block_number as block, is_missing and not $5 as is_missing from gone`,
    [
      verified.map(({ hash }) => hash),
      verified.map(({ transfers }) => transfers.length),
      verified.map(({ hasReceipt }) => hasReceipt),
      PAYMENT_CHAIN_ID,
      isReread,
    ],
  )
  await rereadSoon(em, [...new Set(rows.filter((row) => row.is_missing).map((row) => BigInt(row.block)))])
  return rows.filter((row) => !row.is_missing)
}
