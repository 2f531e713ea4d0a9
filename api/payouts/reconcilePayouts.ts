import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { DAY } from '#shared/dates.ts'
import { readBlock } from '../chain/readTransfers.ts'
import type { RpcEndpoint } from '../chain/RpcEndpoint.ts'
import { sql } from '../db/sql.ts'
import type { Services } from '../services.ts'
import { completeWithdrawals } from '../withdrawals/completeWithdrawals.ts'
import { countNonces } from './readChain.ts'
import { type OwnTransfer, readOwnTransfers } from './readOwnTransfers.ts'
import { lockWallet } from './stopWallet.ts'

/** Why the wallet cannot be reconciled now; nothing was changed. */
export class CannotReconcile extends Error {
  override name = 'CannotReconcile'
}

/**
 * Compares what the payout wallet has sent on the chain with what we know of, and lets payouts go on (money.md 26).
 *
 * Each transfer that no transaction of ours explains pays the withdrawal of its own nonce, or else the oldest open one of exactly its
 * recipient and amount for which nothing was signed. What remains is listed for a person.
 *
 * @returns what it did, a line each.
 * @throws CannotReconcile
 */
export async function reconcilePayouts(
  services: Pick<Services, 'orm' | 'config' | 'clock' | 'jobs'>,
  { endpoint, address }: { endpoint: RpcEndpoint; address: Address },
): Promise<string[]> {
  const { orm, config } = services
  const used = await readUsedNonces(services, { endpoint, address })
  const transfers = await readOwnTransfers(endpoint, {
    wallet: address,
    token: config.XCR_TOKEN_ADDRESS,
    since: await readSince(orm.em.fork(), services.clock.now()),
    to: used.finalBlock,
  })

  return orm.em.fork().transactional(async (em) => {
    // In the order of every lock: withdrawals before the wallet.
    await sql(em, `select 1 from withdrawals where status in ('pending', 'processing', 'manual_review') order by id for update`)
    const wallet = await lockWallet(em, address)
    if (wallet.stoppedBecause === null) return ['Payouts are not stopped: there is nothing to reconcile.']
    const known = await readKnown(em, transfers)
    const lines: string[] = []
    for (const transfer of transfers) {
      if (known.has(transfer.transactionHash)) continue
      const id = (await findByNonce(em, { address, transfer })) ?? (await findByAmount(em, transfer))
      if (id) await completeBy(em, services, { id, address, transfer })
      lines.push(describe(transfer, id))
    }

    const [open] = await sql<{ unsettled: boolean; last: string | null }>(
      em,
      `select coalesce(bool_or(state = 'sent' and nonce < $2), false) as unsettled, max(nonce) as last
       from payouts where wallet_address = $1 and (state = 'sent' or nonce >= $2)`,
      [address, used.count],
    )
    if (open!.unsettled)
      throw new CannotReconcile('Some payouts are mined and not settled yet. Leave a worker running, and try again in a minute.')
    const nextNonce = open!.last === null ? used.count : Math.max(used.count, Number(open!.last) + 1)
    await sql(em, 'update payout_wallets set next_nonce = $2, stopped_because = null, stopped_at = null where address = $1', [
      address,
      nextNonce,
    ])
    lines.push(`The next nonce was ${wallet.nextNonce} and is ${nextNonce}. Payouts go on.`)
    return lines
  })
}

/** @throws CannotReconcile while anything of the wallet is not final. */
async function readUsedNonces(
  { config }: Pick<Services, 'config'>,
  { endpoint, address }: { endpoint: RpcEndpoint; address: Address },
): Promise<{ count: number; finalBlock: bigint }> {
  const latest = await readBlock(endpoint, 'latest')
  const finalBlock = (latest?.number ?? 0n) - BigInt(config.XCR_CONFIRMATIONS) + 1n
  if (finalBlock < 0n) throw new CannotReconcile('The reward chain is too short for anything to be final.')
  const [final, newest] = await Promise.all([
    countNonces(endpoint, address, `0x${finalBlock.toString(16)}`),
    countNonces(endpoint, address, 'latest'),
  ])
  if (final !== newest)
    throw new CannotReconcile('The payout wallet has transactions on the chain that are not final. Try again in a minute.')
  return { count: final, finalBlock }
}

/** Withdrawals that are open may have been paid since they were asked for. */
async function readSince(em: EntityManager, now: Date): Promise<Date> {
  const [row] = await sql<{ oldest: string | null }>(
    em,
    `select least(
       (select min(requested_at) from withdrawals where status in ('pending', 'processing', 'manual_review')),
       (select min(stopped_at) from payout_wallets)
     ) as oldest`,
  )
  return new Date((row?.oldest ? new Date(row.oldest) : now).getTime() - DAY)
}

/** Transactions that we signed, or that have paid a withdrawal. */
async function readKnown(em: EntityManager, transfers: readonly OwnTransfer[]): Promise<Set<Hash>> {
  const rows = await sql<{ hash: Hash }>(
    em,
    `select hash from payout_attempts where hash = any($1::text[])
     union select transaction_hash from withdrawals where transaction_hash = any($1::text[]) and transfer_ordinal is not null`,
    [transfers.map(({ transactionHash }) => transactionHash)],
  )
  return new Set(rows.map(({ hash }) => hash))
}

/** A withdrawal that was signed with this very nonce, and that the transfer pays to the letter: its bytes are those we lost. */
async function findByNonce(
  em: EntityManager,
  { address, transfer }: { address: Address; transfer: OwnTransfer },
): Promise<string | undefined> {
  const [row] = await sql<{ withdrawal_id: string }>(
    em,
    `select withdrawal_id from payouts p join withdrawals w on w.id = p.withdrawal_id
     where p.wallet_address = $1 and p.nonce = $2 and p.state in ('sent', 'lost') and p.recipient = $3 and p.amount = $4
       and w.status in ('processing', 'manual_review')`,
    [address, transfer.nonce, transfer.recipient, transfer.amount.toString()],
  )
  return row?.withdrawal_id
}

async function findByAmount(em: EntityManager, { recipient, amount, blockTime }: OwnTransfer): Promise<string | undefined> {
  const [row] = await sql<{ id: string }>(
    em,
    `select id from withdrawals w where status in ('pending', 'manual_review') and to_address = $1 and amount - fee = $2
       and requested_at < $3 and not exists (select from payouts where withdrawal_id = w.id)
     order by requested_at, id limit 1`,
    [recipient, amount.toString(), blockTime],
  )
  return row?.id
}

async function completeBy(
  em: EntityManager,
  services: Pick<Services, 'config' | 'clock' | 'jobs'>,
  { id, address, transfer }: { id: string; address: Address; transfer: OwnTransfer },
): Promise<void> {
  await sql(
    em,
    `update payouts set state = 'paid', final_hash = $4, settled_at = $5 where withdrawal_id = $1 and wallet_address = $2 and nonce = $3`,
    [id, address, transfer.nonce, transfer.transactionHash, services.clock.now()],
  )
  await completeWithdrawals(em, services, [{ id, transactionHash: transfer.transactionHash, transferOrdinal: transfer.ordinal }])
}

const describe = ({ nonce, amount, recipient, transactionHash }: OwnTransfer, withdrawalId: string | undefined): string =>
  `Nonce ${nonce}: ${formatAmount(amount)} XCR to ${recipient} (${transactionHash}) ` +
  (withdrawalId ? `has paid withdrawal ${withdrawalId}.` : 'pays nothing that we know of: please look into it.')
