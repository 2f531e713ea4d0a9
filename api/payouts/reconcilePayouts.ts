import type { EntityManager } from '@mikro-orm/postgresql'
import { isDeepStrictEqual } from 'node:util'
import type { Address, Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { DAY } from '#shared/dates.ts'
import { recordAudit } from '../audit/recordAudit.ts'
import { readBlock } from '../chain/readTransfers.ts'
import { hostOf, type RpcEndpoint } from '../chain/RpcEndpoint.ts'
import { sql } from '../db/sql.ts'
import type { Services } from '../services.ts'
import { completeWithdrawals } from '../withdrawals/completeWithdrawals.ts'
import { recordWithdrawalChanges } from '../withdrawals/recordWithdrawalChanges.ts'
import { countNonces } from './readChain.ts'
import { type OwnTransfer, readOwnTransfers } from './readOwnTransfers.ts'
import { reconciliationRecord } from './reconciliations.ts'
import { lockWallet } from './stopWallet.ts'

/** Why the wallet cannot be reconciled now; nothing was changed. */
export class CannotReconcile extends Error {
  override name = 'CannotReconcile'
}

interface Reconciliation {
  /** All that are configured: what they do not say alike is not believed. */
  endpoints: readonly RpcEndpoint[]
  /** As it is written in the audit log. */
  actor: string
}

type Needed = Pick<Services, 'orm' | 'config' | 'clock' | 'jobs'>

/**
 * Compares what each stopped payout wallet has sent on the chain with what we know of, and lets payouts go on (money.md 26). One whose key
 * is configured no more, too: it may have paid what is open here.
 *
 * @returns what it did, a line each.
 * @throws CannotReconcile
 */
export async function reconcilePayouts(services: Needed, options: Reconciliation): Promise<string[]> {
  const stopped = await sql<{ address: Address }>(
    services.orm.em.fork(),
    'select address from payout_wallets where stopped_because is not null order by stopped_at, address',
  )
  if (stopped.length === 0) return ['Payouts are not stopped: there is nothing to reconcile.']
  const lines: string[] = []
  for (const { address } of stopped) lines.push(...(await reconcileWallet(services, { ...options, address })))
  return lines
}

/**
 * Each transfer that no transaction of ours explains pays what its own nonce was taken for, or else the oldest open withdrawal of exactly
 * its recipient and amount for which nothing was signed. What remains is listed for a person. A nonce that was taken for lost and that the
 * chain has not used after all is gone on with.
 */
async function reconcileWallet(
  services: Needed,
  { endpoints, actor, address }: Reconciliation & { address: Address },
): Promise<string[]> {
  const { orm, config } = services
  const used = await readUsedNonces(services, { endpoints, address })
  const since = await readSince(orm.em.fork(), services.clock.now())
  const transfers = await askAll(endpoints, 'what the wallet has paid', (endpoint) =>
    readOwnTransfers(endpoint, { wallet: address, token: config.XCR_TOKEN_ADDRESS, since, to: used.finalBlock }),
  )

  return orm.em.fork().transactional(async (em) => {
    // In the order of every lock: withdrawals before the wallet.
    await sql(em, `select 1 from withdrawals where status in ('pending', 'processing', 'manual_review') order by id for update`)
    await sql(em, `select 1 from payouts where wallet_address = $1 and state in ('sent', 'lost') order by id for update`, [
      address,
    ])
    const wallet = await lockWallet(em, address)
    if (wallet.stoppedBecause === null) return [`The wallet ${address} is not stopped any more.`]
    const lines = await reopenUnused(em, { address, count: used.count })
    const isKnown = await readKnown(em, transfers)
    const unexplained: Hash[] = []
    for (const transfer of transfers) {
      if (isKnown(transfer)) continue
      const found = (await findByNonce(em, { address, transfer })) ?? (await findByAmount(em, transfer))
      if (found) await settleBy(em, services, { found, transfer })
      else unexplained.push(transfer.transactionHash)
      lines.push(describe(transfer, found))
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
    recordAudit(em, { actor, ...reconciliationRecord({ address, lines, from: wallet.nextNonce, to: nextNonce, unexplained }) })
    return lines
  })
}

/** @throws CannotReconcile while anything of the wallet is not final. */
async function readUsedNonces(
  { config }: Pick<Needed, 'config'>,
  { endpoints, address }: { endpoints: readonly RpcEndpoint[]; address: Address },
): Promise<{ count: number; finalBlock: bigint }> {
  // As far as the one that is furthest behind knows: the others must say the same of it.
  const heads = await askEach(endpoints, async (endpoint) => (await readBlock(endpoint, 'latest'))?.number ?? 0n)
  const head = heads.reduce((least, one) => (one < least ? one : least))
  const finalBlock = head - BigInt(config.XCR_CONFIRMATIONS) + 1n
  if (finalBlock < 0n) throw new CannotReconcile('The reward chain is too short for anything to be final.')
  const count = await askAll(endpoints, 'how many transactions the wallet has sent', async (endpoint) => {
    const [final, newest] = await Promise.all([
      countNonces(endpoint, address, `0x${finalBlock.toString(16)}`),
      countNonces(endpoint, address, 'latest'),
    ])
    if (final !== newest)
      throw new CannotReconcile('The payout wallet has transactions on the chain that are not final. Try again in a minute.')
    return final
  })
  return { count, finalBlock }
}

/** What every endpoint says. @throws CannotReconcile if one does not answer. */
const askEach = <Answer>(
  endpoints: readonly RpcEndpoint[],
  question: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer[]> =>
  Promise.all(
    endpoints.map((endpoint) =>
      question(endpoint).catch((error: unknown) => {
        if (error instanceof CannotReconcile) throw error
        const reason = error instanceof Error ? error.message : String(error)
        throw new CannotReconcile(
          `${hostOf(endpoint.url)} cannot be asked (${reason}). Try again, or take it out of XCR_RPC_URLS if it is gone for good.`,
        )
      }),
    ),
  )

/** What all endpoints say alike: one that hides a payment would have it made again. @throws CannotReconcile where they differ. */
async function askAll<Answer>(
  endpoints: readonly RpcEndpoint[],
  what: string,
  question: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer> {
  const [first, ...others] = await askEach(endpoints, question)
  const other = others.findIndex((answer) => !isDeepStrictEqual(answer, first))
  if (other >= 0)
    throw new CannotReconcile(
      `${hostOf(endpoints[0]!.url)} and ${hostOf(endpoints[other + 1]!.url)} do not agree on ${what}. ` +
        'Find out which of them is right, and leave the other out of XCR_RPC_URLS.',
    )
  return first!
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

/** An endpoint that told of nonces which were never used has made us give them up; what was signed for them may still be mined. */
async function reopenUnused(em: EntityManager, { address, count }: { address: Address; count: number }): Promise<string[]> {
  const rows = await sql<{ nonce: string; cause: string; withdrawal_id: string | null }>(
    em,
    `update payouts p set state = 'sent', final_hash = null, settled_at = null
     where wallet_address = $1 and nonce >= $2 and state = 'lost'
       and (withdrawal_id is null or exists (select from withdrawals where id = withdrawal_id and status = 'manual_review'))
     returning nonce, cause, withdrawal_id`,
    [address, count],
  )
  const owners = await sql<{ user_id: string }>(
    em,
    `update withdrawals set status = 'processing', review_reason = null where id = any($1::uuid[]) returning user_id`,
    [rows.flatMap(({ withdrawal_id }) => withdrawal_id ?? [])],
  )
  await recordWithdrawalChanges(
    em,
    owners.map(({ user_id }) => user_id),
  )
  return rows
    .toSorted((a, b) => Number(a.nonce) - Number(b.nonce))
    .map(({ nonce, cause }) => `Nonce ${nonce} is not used up after all. What was signed with it for ${cause} is sent again.`)
}

/** Whether a worker has settled, or will settle, what a transfer is for; or somebody has named it as what paid a withdrawal. */
async function readKnown(em: EntityManager, transfers: readonly OwnTransfer[]): Promise<(transfer: OwnTransfer) => boolean> {
  const rows = await sql<{ hash: Hash; ordinal: number | null }>(
    em,
    `select hash, null as ordinal from payout_attempts a join payouts p on p.id = a.payout_id
     where hash = any($1::text[]) and p.state <> 'lost'
     union select transaction_hash, transfer_ordinal from withdrawals where transaction_hash = any($1::text[]) and transfer_ordinal is not null`,
    [transfers.map(({ transactionHash }) => transactionHash)],
  )
  const known = new Set(rows.map(({ hash, ordinal }) => `${hash} ${ordinal ?? ''}`))
  return ({ transactionHash, ordinal }) => known.has(`${transactionHash} `) || known.has(`${transactionHash} ${ordinal}`)
}

/** What a transfer pays: a withdrawal, a payout of ours that was given up, or both. */
interface Explanation {
  cause: string
  withdrawalId: string | null
  payoutId?: string
}

/** What was signed with this very nonce, and the transfer pays to the letter: by bytes that we lost, or did not find on the chain. */
async function findByNonce(
  em: EntityManager,
  { address, transfer }: { address: Address; transfer: OwnTransfer },
): Promise<Explanation | undefined> {
  const [row] = await sql<{ id: string; cause: string; withdrawal_id: string | null }>(
    em,
    `select p.id, p.cause, p.withdrawal_id from payouts p left join withdrawals w on w.id = p.withdrawal_id
     where p.wallet_address = $1 and p.nonce = $2 and p.state in ('sent', 'lost') and p.recipient = $3 and p.amount = $4
       and (w.id is null or w.status in ('processing', 'manual_review'))`,
    [address, transfer.nonce, transfer.recipient, transfer.amount.toString()],
  )
  return row && { cause: row.cause, withdrawalId: row.withdrawal_id, payoutId: row.id }
}

async function findByAmount(em: EntityManager, { recipient, amount, blockTime }: OwnTransfer): Promise<Explanation | undefined> {
  const [row] = await sql<{ id: string }>(
    em,
    `select id from withdrawals w where status in ('pending', 'manual_review') and to_address = $1 and amount - fee = $2
       and requested_at < $3 and not exists (select from payouts where withdrawal_id = w.id)
     order by requested_at, id limit 1`,
    [recipient, amount.toString(), blockTime],
  )
  return row && { cause: `withdrawal:${row.id}`, withdrawalId: row.id }
}

async function settleBy(
  em: EntityManager,
  services: Pick<Needed, 'config' | 'clock' | 'jobs'>,
  { found: { withdrawalId, payoutId }, transfer }: { found: Explanation; transfer: OwnTransfer },
): Promise<void> {
  const { transactionHash, ordinal } = transfer
  if (payoutId)
    await sql(em, `update payouts set state = 'paid', final_hash = $2, settled_at = $3 where id = $1`, [
      payoutId,
      transactionHash,
      services.clock.now(),
    ])
  if (withdrawalId) await completeWithdrawals(em, services, [{ id: withdrawalId, transactionHash, transferOrdinal: ordinal }])
}

const describe = ({ nonce, amount, recipient, transactionHash }: OwnTransfer, found: Explanation | undefined): string =>
  `Nonce ${nonce}: ${formatAmount(amount)} XCR to ${recipient} (${transactionHash}) ` +
  (found ? `has paid ${found.cause.replace(':', ' ')}.` : 'pays nothing that we know of: please look into it.')
