import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address, Hex } from 'viem'
import { HOUR, MINUTE } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { RpcFailure } from '#api/platform/chain/rpcErrors.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { withFallback } from '#api/platform/chain/requestWithFallback.ts'
import { readFees } from '#api/platform/chain/readFees.ts'
import { replacementFees } from '#api/platform/chain/replacementFees.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { sendTransaction } from '#api/platform/chain/sendTransaction.ts'
import type { Config } from '#api/platform/config.ts'
import { lockNamed, tryLockWhileIdle } from '#api/platform/db/advisoryLocks.ts'
import { confirmEarlier } from '#api/platform/db/confirmEarlier.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { isAlert } from '#api/platform/log/createLog.ts'
import type { Services } from '#api/platform/services.ts'
import { query } from '#api/entities/tables.ts'
import { type AnchorAccount, anchorCall, AnchorContract, createAnchorAccount, describeWrongContract } from './anchorContract.ts'
import { findWrongContract, RegisterStopped, requireOwnAnchors } from './checkAnchors.ts'
import { reportAnchored, reportUnanchored } from './registerState.ts'

/** Anchors the newest checkpoint, and compares what is anchored with the log. */
export const anchorRegister: Sweep<'clock' | 'config' | 'jobs' | 'orm'> = {
  name: 'anchor-register',
  everySeconds: 5,
  run: (services) => anchorNewest(services),
}

type Needed = Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>

/** The interval of comparisons while everything is anchored. */
const IDLE_INTERVAL = MINUTE
/** After this time a transaction is replaced by one with higher fees. */
const STUCK_AFTER = MINUTE
/** After this time without an anchor the operator is told. */
const LATE_AFTER = 6 * HOUR
/** In wei per unit of gas. An anchor waits while the chain asks more. */
const MAX_GAS_PRICE = 50n * 10n ** 9n
/** An anchor takes about 75,000 units of gas. */
const GAS = 150_000n

/**
 * The points at which tests inject faults.
 *
 * - signed: the transaction is not stored yet
 * - stored: committed, not sent
 * - sent: a node has it
 */
export const anchorSteps = ['signed', 'stored', 'sent'] as const
export type AnchorStep = (typeof anchorSteps)[number]

interface AnchorOptions {
  endpoints?: readonly RpcEndpoint[]
  step?: (step: AnchorStep) => Promise<void>
}

interface Anchoring {
  endpoints: readonly RpcEndpoint[]
  account: Promise<AnchorAccount> | undefined
  /** When the anchors were last compared with the log. */
  checkedAt: number
}

/** Connections and keys are kept between runs. */
const anchorings = new WeakMap<Config, Anchoring>()

/**
 * One round. What is anchored is read from the chain, and the contract refuses what is not newer, so that a round may be killed at any
 * point, repeated, or run by two workers: nothing is anchored twice.
 */
export async function anchorNewest(services: Needed, { endpoints, step = async () => {} }: AnchorOptions = {}): Promise<void> {
  const { config, orm } = services
  if (!config.register) return
  const known = anchorings.get(config)
  const anchoring: Anchoring = known ?? {
    endpoints: endpoints ?? paymentEndpoints(config),
    account: undefined,
    checkedAt: -Infinity,
  }
  anchorings.set(config, anchoring)
  const em = orm.em.fork()
  await em.begin()
  try {
    if (await tryLockWhileIdle(em, lockNamed('anchor-register'))) await work(services, anchoring, step)
  } finally {
    await em.rollback()
  }
}

async function work(services: Needed, anchoring: Anchoring, step: NonNullable<AnchorOptions['step']>): Promise<void> {
  const { config, orm } = services
  const newest = await readNewest(orm.em.fork())
  if (!newest) return
  const contract = config.register?.anchor?.address.toLowerCase() as Address | undefined
  const isAnchored = async () => !contract || (await readAnchoredSize(orm.em.fork(), contract)) >= newest.size
  if (performance.now() - anchoring.checkedAt < IDLE_INTERVAL && (await isAnchored())) return
  let obstacle = ''
  try {
    await requireOwnAnchors(services, anchoring.endpoints)
    anchoring.checkedAt = performance.now()
    if (!contract || (await isAnchored())) return await reportAnchored(orm)
    obstacle =
      (await findWrongContract(services, anchoring.endpoints)) ??
      (await send(services, anchoring, { address: contract, newest, step })) ??
      ''
  } catch (error) {
    // Told once, when it was stopped.
    if (error instanceof RegisterStopped && !isAlert(error)) return
    if (!(error instanceof ChainUnavailable) && !(error instanceof RpcFailure)) throw error
  }
  if (contract) await tell(services, { obstacle, contract })
}

/** The newest checkpoint. */
const readNewest = (em: EntityManager) =>
  query(em).selectFrom('register_checkpoints').select(['size', 'root']).orderBy('size', 'desc').limit(1).executeTakeFirst()

async function readAnchoredSize(em: EntityManager, contract: Address): Promise<number> {
  const row = await query(em)
    .selectFrom('register_anchors')
    .select(({ fn }) => fn.max('size').as('size'))
    .where('contract', '=', contract)
    .executeTakeFirst()
  return row?.size ?? 0
}

interface Newest {
  size: number
  root: Uint8Array
}

/** Signs and sends the anchor, or sends it again. @returns the obstacle that the operator has to remove; undefined if there is none. */
async function send(
  { clock, config, orm }: Needed,
  anchoring: Anchoring,
  { address, newest, step }: { address: Address; newest: Newest; step: NonNullable<AnchorOptions['step']> },
): Promise<string | undefined> {
  const privateKey = config.register?.anchor?.privateKey ?? ''
  const account = await (anchoring.account ??= createAnchorAccount({ privateKey, chainId: PAYMENT_CHAIN_ID }))
  const { publisher, last, nonce, asked } = await withFallback(anchoring.endpoints, (endpoint) =>
    readView(endpoint, { address, sender: account.address }),
  )
  if (publisher !== account.address) return describeWrongContract(address)
  // Mined, and not final yet.
  if (last && last.size >= newest.size) return undefined
  const em = orm.em.fork()
  const before = await query(em)
    .selectFrom('register_anchorings')
    .selectAll()
    .where('contract', '=', address)
    .where('nonce', '=', nonce)
    .executeTakeFirst()
  const isStuck = before && clock.now().getTime() - before.signedAt.getTime() >= STUCK_AFTER
  if (before && !isStuck) {
    // The commit that stored it may have ended without its standby. A failover could then lose the anchored entries, and others would
    // take their place.
    await orm.em.fork().transactional(confirmEarlier)
    return broadcast(anchoring.endpoints, before.signedBytes, account.address)
  }
  if (asked.maxFeePerGas > MAX_GAS_PRICE) return 'The payment chain asks too much for gas: the anchor of the register waits.'
  const fees = before ? replacementFees(before, asked) : asked
  const data = anchorCall(newest.size, newest.root)
  const signed = await account.sign({ ...fees, nonce, gas: GAS, to: address, data })
  await step('signed')
  const attempt = { nonce, size: newest.size, ...signed, ...fees, signedAt: clock.now() }
  await query(em)
    .insertInto('register_anchorings')
    .values({ contract: address, ...attempt })
    .onConflict((conflict) => conflict.column('contract').doUpdateSet(attempt))
    .execute()
  await step('stored')
  const obstacle = await broadcast(anchoring.endpoints, signed.signedBytes, account.address)
  await step('sent')
  return obstacle
}

/** The contract and the wallet as of the newest block. */
async function readView(endpoint: RpcEndpoint, { address, sender }: { address: Address; sender: Address }) {
  const contract = new AnchorContract(endpoint, { address, block: 'latest' })
  const [publisher, [last], nonce, asked] = await Promise.all([
    contract.publisher(),
    contract.count().then((count) => contract.since(Math.max(0, count - 1))),
    endpoint.request<Hex>('eth_getTransactionCount', [sender, 'latest']),
    readFees(endpoint),
  ])
  return { publisher, last, nonce: Number(nonce), asked }
}

/** Sends the same bytes to every endpoint. Repeated sending is harmless. */
async function broadcast(endpoints: readonly RpcEndpoint[], signedBytes: Hex, sender: Address): Promise<string | undefined> {
  const answers = await Promise.allSettled(endpoints.map((endpoint) => sendTransaction(endpoint, signedBytes)))
  const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  if (given.length === 0) throw new ChainUnavailable('No RPC endpoint takes the anchor of the register.')
  const refused = given.every(({ outcome }) => outcome === 'refused') ? given[0] : undefined
  if (!refused) return undefined
  return /insufficient funds/i.test(refused.message)
    ? `The wallet ${sender}, which anchors the register, has too little BNB for fees. The register goes on without anchors until it is topped up.`
    : `The payment chain refused the anchor of the register: ${refused.message}`
}

/** Tells the operator about an obstacle, or that there was no anchor for long. */
async function tell(services: Needed, { obstacle, contract }: { obstacle: string; contract: Address }): Promise<void> {
  const isLong = obstacle === '' && (await isLate(services.orm.em.fork(), contract))
  const because = isLong ? 'The newest roots of the register have not been anchored for six hours.' : obstacle
  if (because !== '' && (await reportUnanchored(services, because))) throw new Error(`ALERT: ${because}`)
}

/** Whether a checkpoint waits for its anchor for too long. */
async function isLate(em: EntityManager, contract: Address): Promise<boolean> {
  const waiting = await query(em)
    .selectFrom('register_checkpoints')
    .select('size')
    .where('size', '>', await readAnchoredSize(em, contract))
    .where('createdAt', '<', sql<Date>`now() - ${LATE_AFTER / HOUR} * interval '1 hour'`)
    .limit(1)
    .executeTakeFirst()
  return waiting !== undefined
}
