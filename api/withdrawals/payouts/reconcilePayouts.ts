import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { completeWithdrawals } from '../requests/completeWithdrawals.ts'
import { hasNoPayout } from '../requests/hasNoPayout.ts'
import { recordWithdrawalChanges } from '../requests/recordWithdrawalChanges.ts'
import { requireUnanimity, askAll, CannotReconcile } from './requireUnanimity.ts'
import { attributeTransfer } from './attributeTransfer.ts'
import { readExplained } from '../payoutWallets/explainedTransfers.ts'
import { countNonces } from './readChain.ts'
import { describeTransfer, type OwnTransfer } from './readOwnTransfers.ts'
import { readFinalBlock, readUnexplained } from './readUnexplained.ts'
import { reconciliationRecord } from './reconciliations.ts'
import { lockWallet, stopWallet } from '../payoutWallets/stopWallet.ts'

interface Reconciliation {
  /** All configured endpoints; they must agree. */
  endpoints: readonly RpcEndpoint[]
  /** The actor in the audit log. */
  actor: string
}

type Needed = Pick<Services, 'orm' | 'config' | 'clock' | 'jobs'>

/**
 * Compares the transfers of each payout wallet on the chain with the database, and resumes payouts once all are explained (money.md
 * 26). Includes wallets whose key is no longer configured, because they may have paid open withdrawals. Stops a wallet first if no
 * worker has done so yet.
 *
 * @param wallet the wallet whose key is configured.
 * @returns one line per step taken.
 * @throws CannotReconcile with these lines if payouts stay stopped.
 */
export async function reconcilePayouts(
  services: Needed,
  { wallet, ...options }: Reconciliation & { wallet: Address },
): Promise<string[]> {
  const known = await query(services.orm.em.fork())
    .selectFrom('payout_wallets')
    .select('address')
    .orderBy('stoppedAt')
    .orderBy('address')
    .execute()
  const lines: string[] = []
  let isStopped = false
  for (const address of new Set([...known.map((row) => row.address), wallet])) {
    const outcome = await reconcileWallet(services, { ...options, address })
    lines.push(...outcome.lines)
    isStopped ||= outcome.isStopped
  }
  if (isStopped) throw new CannotReconcile([...lines, STOPPED_HINT].join('\n'))
  return lines
}

const STOPPED_HINT = `Payouts stay stopped until each of these transfers is explained:
  npm run admin -- attribute-transfer <hash> <email> <reason>   if it has paid this account
  npm run admin -- acknowledge-transfer <hash> <reason>          if it has paid none
Then run npm run admin -- reconcile-payouts again.`

interface Outcome {
  lines: string[]
  isStopped: boolean
}

/**
 * An unexplained transfer is matched, in this order, with the payout of its nonce, with the oldest open withdrawal of exactly its
 * recipient and amount that was never signed, or with the account that owns the recipient's wallet. The rest is left to an operator. A
 * payout marked lost whose nonce is unused on the chain is reopened.
 */
async function reconcileWallet(
  services: Needed,
  { endpoints, actor, address }: Reconciliation & { address: Address },
): Promise<Outcome> {
  const { orm } = services
  if (!(await stopIfUnknown(services, { endpoints, address })))
    return { lines: [`The wallet ${address} is not stopped: the chain knows of nothing that we do not.`], isStopped: false }
  const used = await readUsedNonces(services, { endpoints, address })
  const transfers = await readUnexplained(services, { endpoints, address, upTo: used.finalBlock })
  const opened = await orm.em.fork().transactional((em) => explainByRows(em, services, { address, transfers, count: used.count }))
  const { found } = opened
  // Repeated until nothing more is found, because booked withdrawals add the fees that explain a sweep.
  for (let known = -1; known < found.size; ) {
    known = found.size
    for (const transfer of transfers) {
      if (found.has(transfer)) continue
      const words = await orm.em
        .fork()
        .transactional((em) => attributeTransfer(em, services, { wallet: address, transfer, actor }))
      if (words !== undefined) found.set(transfer, words)
    }
  }
  const left = transfers.filter((transfer) => !found.has(transfer))
  const lines = [...opened.lines, ...transfers.map((transfer) => describe(transfer, found.get(transfer)))]

  return orm.em.fork().transactional(async (em) => {
    const wallet = await lockWallet(em, address)
    const explained = await readExplained(
      em,
      left.map(({ transactionHash }) => transactionHash),
    )
    const isStopped = left.some((transfer) => !explained.has(transfer))
    const nextNonce = isStopped ? wallet.nextNonce : await findNextNonce(em, { address, count: used.count })
    if (!isStopped) {
      await query(em)
        .updateTable('payout_wallets')
        .set({ nextNonce, stoppedBecause: null })
        .where('address', '=', address)
        .execute()
      lines.push(`The next nonce was ${wallet.nextNonce} and is ${nextNonce}. Payouts resume.`)
    }
    recordAudit(em, { actor, ...reconciliationRecord({ address, lines, from: wallet.nextNonce, to: nextNonce }) })
    return { lines, isStopped }
  })
}

/** Stops a wallet that has sent more than the database knows, as its worker would in its next round. @returns whether it is stopped. */
async function stopIfUnknown(
  { orm, clock }: Needed,
  { endpoints, address }: { endpoints: readonly RpcEndpoint[]; address: Address },
): Promise<boolean> {
  const counts = await askAll(endpoints, (endpoint) => countNonces(endpoint, address, 'latest'))
  const count = Math.max(...counts)
  return orm.em.fork().transactional(async (em) => {
    if (count > 0)
      await query(em)
        .insertInto('payout_wallets')
        .values({ address, nextNonce: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    const row = await query(em)
      .selectFrom('payout_wallets')
      .select(['nextNonce', 'stoppedBecause'])
      .where('address', '=', address)
      .forUpdate()
      .executeTakeFirst()
    if (!row) return false
    if (row.stoppedBecause !== null) return true
    if (count <= row.nextNonce) return false
    return stopWallet(em, { address, because: 'An operator reconciles its payouts.', now: clock.now() })
  })
}

/** Explains transfers by payouts and open withdrawals. It moves only XCR of house accounts, so one transaction suffices. */
async function explainByRows(
  em: EntityManager,
  services: Needed,
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

/** The first nonce that is unused on the chain and not held by a payout. */
async function findNextNonce(em: EntityManager, { address, count }: { address: Address; count: number }): Promise<number> {
  const { last } = await query(em)
    .selectFrom('payouts')
    .select((eb) => eb.fn.max('nonce').as('last'))
    .where('wallet', '=', address)
    .where((eb) => eb.or([eb('state', '=', 'sent'), eb('nonce', '>=', count)]))
    .executeTakeFirstOrThrow()
  return Math.max(count, (last ?? -1) + 1)
}

/** @throws CannotReconcile while any transaction of the wallet is not final. */
async function readUsedNonces(
  { config }: Pick<Needed, 'config'>,
  { endpoints, address }: { endpoints: readonly RpcEndpoint[]; address: Address },
): Promise<{ count: number; finalBlock: bigint }> {
  const finalBlock = await readFinalBlock(endpoints, config)
  const count = await requireUnanimity(endpoints, 'how many transactions the wallet has sent', async (endpoint) => {
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
  services: Pick<Needed, 'config' | 'clock' | 'jobs'>,
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

const describe = (transfer: OwnTransfer, found: string | undefined): string =>
  `${describeTransfer(transfer)} ${found ?? 'pays nothing that we know of: please look into it.'}`
