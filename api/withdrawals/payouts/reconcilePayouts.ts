import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { requireUnanimity, readFromAll, CannotReconcile } from './requireUnanimity.ts'
import { attributeTransfer } from './attributeTransfer.ts'
import { explainByRows } from './explainByRows.ts'
import { readExplained } from '../payoutWallets/explainedTransfers.ts'
import { countNonces } from '../payoutWallets/countNonces.ts'
import { describeTransfer, type OwnTransfer } from './readOwnTransfers.ts'
import { readFinalBlock, readUnexplained } from './readUnexplained.ts'
import { reconciliationRecord } from './reconciliations.ts'
import { lockWallet, lockWalletIfKnown } from '../payoutWallets/lockWallet.ts'
import { stopWallet } from '../payoutWallets/stopWallet.ts'

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
      await recordChange(em, { keys: [getWaiting.path] })
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
  const counts = await readFromAll(endpoints, (endpoint) => countNonces(endpoint, address, 'latest'))
  const count = Math.max(...counts)
  return orm.em.fork().transactional(async (em) => {
    if (count > 0)
      await query(em)
        .insertInto('payout_wallets')
        .values({ address, nextNonce: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    const row = await lockWalletIfKnown(em, address)
    if (!row) return false
    if (row.stoppedBecause !== null) return true
    if (count <= row.nextNonce) return false
    return stopWallet(em, { address, because: 'An operator reconciles its payouts.', now: clock.now() })
  })
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

const describe = (transfer: OwnTransfer, found: string | undefined): string =>
  `${describeTransfer(transfer)} ${found ?? 'has no known cause. Please investigate.'}`
