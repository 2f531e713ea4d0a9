import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { completeWithdrawals } from '../requests/completeWithdrawals.ts'
import { hasNoPayout } from '#api/accounts/users/hasNoPayout.ts'
import { recordWithdrawalChanges } from '../requests/recordWithdrawalChanges.ts'
import { readExplained } from '../payoutWallets/explainedTransfers.ts'
import { lockWallet } from '../payoutWallets/lockWallet.ts'
import type { OwnTransfer } from './readOwnTransfers.ts'
import { CannotReconcile } from './requireUnanimity.ts'

type SettlementServices = Pick<Services, 'config' | 'clock' | 'jobs'>

/** Explains transfers by payouts and open withdrawals. It moves only XCR of house accounts, so one transaction suffices. */
export async function explainByRows(
  em: EntityManager,
  services: SettlementServices,
  { address, transfers, count }: { address: Address; transfers: readonly OwnTransfer[]; count: number },
): Promise<{ lines: string[]; found: Map<OwnTransfer, string> }> {
  // The global lock order: withdrawals before the wallet.
  await query(em)
    .selectFrom('withdrawals')
    .select('id')
    .where('status', 'in', ['pending', 'processing', 'manual_review'])
    .orderBy('id')
    .forUpdate()
    .execute()
  await query(em)
    .selectFrom('payouts')
    .select('id')
    .where('wallet', '=', address)
    .where('state', 'in', ['sent', 'lost'])
    .orderBy('id')
    .forUpdate()
    .execute()
  await lockWallet(em, address)
  const lines = await reopenUnused(em, { address, count })
  const explained = await readExplained(
    em,
    transfers.map(({ transactionHash }) => transactionHash),
  )
  const found = new Map<OwnTransfer, string>()
  for (const transfer of transfers) {
    if (explained.has(transfer)) {
      found.set(transfer, 'is explained.')
      continue
    }
    const explanation = (await findByNonce(em, { address, transfer })) ?? (await findByAmount(em, transfer))
    if (!explanation) continue
    await settleBy(em, services, { found: explanation, transfer })
    found.set(transfer, `has paid ${explanation.cause.replace(':', ' ')}.`)
  }
  const unsettled = await query(em)
    .selectFrom('payouts')
    .select('id')
    .where('wallet', '=', address)
    .where('state', '=', 'sent')
    .where('nonce', '<', count)
    .limit(1)
    .executeTakeFirst()
  if (unsettled)
    throw new CannotReconcile('Some payouts are mined and not settled yet. Leave a worker running, and try again in a minute.')
  return { lines, found }
}

/**
 * Reopens payouts marked lost because of an endpoint that reported unused nonces as used. Their signed transactions may still be mined.
 */
async function reopenUnused(em: EntityManager, { address, count }: { address: Address; count: number }): Promise<string[]> {
  const rows = await query(em)
    .updateTable('payouts')
    .set({ state: 'sent', finalHash: null, settledAt: null })
    .where('payouts.wallet', '=', address)
    .where('payouts.nonce', '>=', count)
    .where('payouts.state', '=', 'lost')
    .where((eb) =>
      eb.or([
        eb('payouts.withdrawal', 'is', null),
        eb.exists(
          eb
            .selectFrom('withdrawals as w')
            .select('w.id')
            .whereRef('w.id', '=', 'payouts.withdrawal')
            .where('w.status', '=', 'manual_review'),
        ),
      ]),
    )
    .returning(['payouts.nonce', 'payouts.cause', 'payouts.withdrawal'])
    .execute()
  const ids = rows.flatMap(({ withdrawal }) => withdrawal ?? [])
  const owners = await query(em)
    .updateTable('withdrawals')
    .set({ status: 'processing', reviewReason: null })
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .returning('user')
    .execute()
  await recordWithdrawalChanges(
    em,
    owners.map(({ user }) => user),
  )
  return rows
    .toSorted((a, b) => a.nonce - b.nonce)
    .map(({ nonce, cause }) => `Nonce ${nonce} is not used up after all. What was signed with it for ${cause} is sent again.`)
}

/** What a transfer paid: a withdrawal, a payout marked lost, or both. */
interface Explanation {
  cause: string
  withdrawalId: string | null
  payoutId?: string
}

/** The payout of this nonce with exactly this recipient and amount, whose signed bytes were lost or not found on the chain. */
async function findByNonce(
  em: EntityManager,
  { address, transfer }: { address: Address; transfer: OwnTransfer },
): Promise<Explanation | undefined> {
  if (transfer.nonce === undefined) return undefined
  return query(em)
    .selectFrom('payouts as p')
    .leftJoin('withdrawals as w', 'w.id', 'p.withdrawal')
    .select(['p.id as payoutId', 'p.cause', 'p.withdrawal as withdrawalId'])
    .where('p.wallet', '=', address)
    .where('p.nonce', '=', transfer.nonce)
    .where('p.state', 'in', ['sent', 'lost'])
    .where('p.recipient', '=', transfer.recipient)
    .where('p.amount', '=', transfer.amount)
    .where((eb) => eb.or([eb('w.id', 'is', null), eb('w.status', 'in', ['processing', 'manual_review'])]))
    .executeTakeFirst()
}

async function findByAmount(
  em: EntityManager,
  { nonce, recipient, amount, blockTime }: OwnTransfer,
): Promise<Explanation | undefined> {
  if (nonce === undefined) return undefined
  const row = await query(em)
    .selectFrom('withdrawals as w')
    .select('w.id')
    .where('w.status', 'in', ['pending', 'manual_review'])
    .where('w.toAddress', '=', recipient)
    .where((eb) => eb(eb('w.amount', '-', eb.ref('w.fee')), '=', amount))
    .where('w.requestedAt', '<', blockTime)
    .where(hasNoPayout)
    .orderBy('w.requestedAt')
    .orderBy('w.id')
    .limit(1)
    .executeTakeFirst()
  return row && { cause: `withdrawal:${row.id}`, withdrawalId: row.id }
}

async function settleBy(
  em: EntityManager,
  services: SettlementServices,
  { found: { withdrawalId, payoutId }, transfer }: { found: Explanation; transfer: OwnTransfer },
): Promise<void> {
  const { transactionHash, ordinal } = transfer
  if (payoutId)
    await query(em)
      .updateTable('payouts')
      .set({ state: 'paid', finalHash: transactionHash, settledAt: services.clock.now() })
      .where('id', '=', payoutId)
      .execute()
  if (withdrawalId) await completeWithdrawals(em, services, [{ id: withdrawalId, transactionHash, transferOrdinal: ordinal }])
}
