import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { readAgreed } from '#api/platform/chain/readAgreed.ts'
import { readAgreedFinalNumber } from '#api/platform/chain/readAgreedBlock.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Config } from '#api/platform/config.ts'
import type { Services } from '#api/platform/services.ts'
import { query } from '#api/entities/tables.ts'
import { type Anchor, AnchorContract, createAnchorAccount, describeWrongContract } from './anchorContract.ts'
import { parseEntry } from '#shared/register/entries.ts'
import { readRestoredSize, stopPublication, whyStopped } from './registerState.ts'
import { rootOf } from '#shared/register/tree.ts'

type Needed = Pick<Services, 'config' | 'jobs' | 'orm'>

/** The log must not be signed: an anchored root is not one of its roots, or it is shorter than an anchored size. */
export class RegisterStopped extends Error {
  override name = 'RegisterStopped'
}

/** The configured contract was deployed a moment ago: its block is not final yet. */
export class AnchorTooYoung extends ChainUnavailable {
  override name = 'AnchorTooYoung'
}

/**
 * Must succeed before anything is signed for the log: every final anchor on the chain is a root of our log (format.md, "A
 * restored backup"). If one is not, this database is an older one or the key is used elsewhere. Not everything that was published is
 * anchored, so a restored dump is noticed by itself, too. Publication then stops until an operator has compared the two.
 *
 * @throws {RegisterStopped}
 * @throws {ChainUnavailable} if the anchors cannot be read: a late register does no harm, a forked one cannot be repaired.
 */
export async function requireOwnAnchors(services: Needed, endpoints: readonly RpcEndpoint[]): Promise<void> {
  const stopped = await whyStopped(services.orm.em.fork())
  if (stopped !== null) throw new RegisterStopped(stopped)
  const because = (await findForeignAnchor(services, endpoints)) ?? (await describeRestored(services.orm.em.fork()))
  if (because === undefined) return
  const isNew = await stopPublication(services, because)
  throw new RegisterStopped(isNew ? `ALERT: ${because}` : because)
}

async function describeRestored(em: EntityManager): Promise<string | undefined> {
  const size = await readRestoredSize(em)
  if (size === undefined) return undefined
  return (
    `This database was restored from a dump, in which the register has ${size} entries. More may have been published since. ` +
    'Nothing is published until `npm run admin -- resume-register` has been run.'
  )
}

/** Compares new final anchors with the log, and stores those that are ours. @returns the sentence about one that is not. */
export async function findForeignAnchor(
  { config, orm }: Pick<Services, 'config' | 'orm'>,
  endpoints: readonly RpcEndpoint[],
): Promise<string | undefined> {
  const em = orm.em.fork()
  const contracts = await readContracts(em, config.register?.anchor?.address)
  if (contracts.length === 0) return undefined
  const block = await readFinalNumber(endpoints, config)
  // A young chain has no final block, and so no final anchor.
  if (block < 0n) return undefined
  for (const contract of contracts) {
    const first = await countStored(em, contract)
    const agreement = await readAgreed(endpoints, {
      read: (endpoint) => new AnchorContract(endpoint, { address: contract, block }).since(first),
      textOf: (anchors) => JSON.stringify(anchors.map(({ size, time, root }) => [size, time, root.toString('hex')])),
    })
    if (agreement.kind !== 'agreed') throw new ChainUnavailable('The anchors cannot be read: the RPC endpoints do not agree.')
    // The log is read after the chain: a root is signed and stored before it is anchored.
    for (const [offset, anchor] of agreement.answer.entries()) {
      const because = await describeForeign(em, contract, anchor)
      if (because !== undefined) return because
      await query(em)
        .insertInto('register_anchors')
        .values({ contract, index: first + offset, ...anchor })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
  }
  return undefined
}

/**
 * Whether the log must not name the configured contract: verifiers would refuse the log for ever, because they demand the code of
 * RegisterAnchor.sol of every contract that it names.
 *
 * @returns the sentence for the operator; undefined if the log may name the contract, or does.
 * @throws {AnchorTooYoung} @throws {ChainUnavailable}
 */
export async function findWrongContract(
  { config, orm }: Pick<Services, 'config' | 'orm'>,
  endpoints: readonly RpcEndpoint[],
): Promise<string | undefined> {
  const anchor = config.register?.anchor
  if (!anchor) return undefined
  const address = anchor.address.toLowerCase() as Address
  if ((await readContracts(orm.em.fork(), undefined)).includes(address)) return undefined
  const { address: publisher } = await createAnchorAccount({ privateKey: anchor.privateKey, chainId: PAYMENT_CHAIN_ID })
  const isRight = async (block: bigint | 'latest') => {
    const agreement = await readAgreed(endpoints, {
      read: (endpoint) => new AnchorContract(endpoint, { address, block }).hasCode(publisher),
      textOf: String,
    })
    if (agreement.kind === 'agreed') return agreement.answer
    throw new ChainUnavailable('The anchor contract cannot be read: the RPC endpoints do not agree.')
  }
  const final = await readFinalNumber(endpoints, config)
  if (final >= 0n && (await isRight(final))) return undefined
  if (await isRight('latest')) throw new AnchorTooYoung('The anchor contract is not final yet.')
  return describeWrongContract(address)
}

async function readFinalNumber(
  endpoints: readonly RpcEndpoint[],
  { PAYMENT_CONFIRMATIONS }: Pick<Config, 'PAYMENT_CONFIRMATIONS'>,
): Promise<bigint> {
  const block = await readAgreedFinalNumber(endpoints, PAYMENT_CONFIRMATIONS)
  if (block === undefined) throw new ChainUnavailable('The anchors cannot be read: too few RPC endpoints answer.')
  return block
}

/** The contracts that the log names, and the configured one. */
async function readContracts(em: EntityManager, configured: Address | undefined): Promise<Address[]> {
  const rows = await query(em).selectFrom('register_entries').select('text').where('kind', 'in', ['genesis', 'address']).execute()
  const named = rows.flatMap(({ text }): Address[] => {
    const entry = parseEntry(text)
    if (entry.kind === 'genesis') return entry.anchor?.chainId === PAYMENT_CHAIN_ID ? [entry.anchor.address] : []
    const isAnchor = entry.kind === 'address' && entry.role === 'anchor' && entry.chain === PAYMENT_CHAIN_ID
    return isAnchor ? [entry.address] : []
  })
  return [...new Set([...named, ...(configured ? [configured.toLowerCase() as Address] : [])])]
}

async function countStored(em: EntityManager, contract: Address): Promise<number> {
  const { count } = await query(em)
    .selectFrom('register_anchors')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('contract', '=', contract)
    .executeTakeFirstOrThrow()
  return count
}

async function describeForeign(em: EntityManager, contract: Address, { size, root }: Anchor): Promise<string | undefined> {
  const known = await readRoot(em, size)
  if (known?.equals(root)) return undefined
  const difference = known ? 'ours has another root there' : 'ours has fewer entries'
  return (
    `The contract ${contract} has an anchor of ${size} entries that is not of our register: ${difference}. ` +
    'The database is an older one, or the anchor key is used elsewhere. ' +
    'Nothing is published until `npm run admin -- resume-register` has compared the two.'
  )
}

/** The root of the first `size` entries; undefined if there are fewer. */
async function readRoot(em: EntityManager, size: number): Promise<Buffer | undefined> {
  const checkpoint = await query(em).selectFrom('register_checkpoints').select('root').where('size', '=', size).executeTakeFirst()
  if (checkpoint) return Buffer.from(checkpoint.root)
  const rows = await query(em)
    .selectFrom('register_entries')
    .select('leafHash')
    .where('index', '<', size)
    .orderBy('index')
    .execute()
  return rows.length < size ? undefined : Buffer.from(rootOf(rows.map(({ leafHash }) => leafHash)))
}
