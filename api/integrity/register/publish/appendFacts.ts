import type { EntityManager } from '@mikro-orm/postgresql'
import { TOKEN_DECIMALS } from '#shared/amount.ts'
import { MINUTE } from '#shared/dates.ts'
import { equalBytes } from '#shared/register/bytes.ts'
import { encodeEntry } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { receiptKeyName } from '#shared/register/receipts.ts'
import { GrowingTree, leafHash } from '#shared/register/tree.ts'
import { PAYMENT_CHAIN_ID, REWARD_CHAIN_ID } from '#shared/sale.ts'
import { readSetupStatus } from '#api/accounts/setup/readSetupStatus.ts'
import type { Config, RegisterConfig } from '#api/platform/config.ts'
import type { Services } from '#api/platform/services.ts'
import { signerOf, type SignerKey } from '../signedNotes.ts'
import { Draft, type DraftEntry, type Fact, oldestFirst } from './Draft.ts'
import { heldFacts } from './heldRegister.ts'
import { proofKeyFacts } from './keyFacts.ts'
import { type OpenLog, openLog } from './openLog.ts'
import { lower, placeFacts } from './placeFacts.ts'
import { readLast } from './readLast.ts'
import { releaseFacts } from './releaseFacts.ts'
import { settingFacts } from './settingFacts.ts'
import { signLog, storeEntries } from './storeDraft.ts'

type Needed = Pick<Services, 'clock' | 'config' | 'orm'>

/** Prices and fees are set for a time after the last books; running transactions may be this much older. */
const BACKDATING = 10 * MINUTE

/**
 * Whether there are facts that are published without waiting for a day. The log begins after the set-up, because its first entry names the
 * site and the tokens for ever, and until then an operator may still correct the configuration.
 */
export async function hasFacts({ orm, config, clock }: Needed): Promise<boolean> {
  const em = orm.em.fork()
  const log = await openLog(em)
  if (!log) return !(await readSetupStatus(em)).setupRequired
  return (await readEarly(em, { config, clock }, log)).length > 0
}

/**
 * Publishes settings, addresses and changes of keys, which hold from a later time on or are needed before the next day.
 *
 * @param options.beforeCommit runs once everything is stored and signed.
 */
export const appendFacts = (
  { orm, config, clock }: Needed,
  { beforeCommit = async () => {} }: { beforeCommit?: () => Promise<void> } = {},
): Promise<void> =>
  orm.em.fork().transactional(async (em) => {
    const now = clock.now()
    const known = await openLog(em)
    const log = known ?? beginLog(config, now)
    const entries: DraftEntry[] = known ? [] : [genesisEntry(log)]
    const facts = await readEarly(em, { config, clock }, log)
    if (known && facts.length === 0) return
    const draft = new Draft({ size: log.tree.size + entries.length, groups: new Map(), identities: new Map() })
    for (const fact of oldestFirst(facts)) draft.append(fact)
    entries.push(...draft.entries)
    await storeEntries(em, entries, { now })
    await signLog(em, entries, { tree: log.tree, signers: [logSignerOf(config, log)], now })
    await beforeCommit()
  })

/** Facts that commit to no account. */
async function readEarly(em: EntityManager, services: Pick<Needed, 'config' | 'clock'>, log: OpenLog): Promise<Fact[]> {
  const now = services.clock.now()
  return [
    ...(await readSettings(em, services, { log, now })),
    ...(await proofKeyFacts(em, { now })),
    ...(await releaseFacts(em, { now })),
    ...(await heldFacts(em, { now })),
  ]
}

/** The settings, addresses and supply that are not in the log, as of a transaction. */
export async function readSettings(
  em: EntityManager,
  { config, clock }: Pick<Needed, 'config' | 'clock'>,
  { log, now }: { log: OpenLog; now: Date },
): Promise<Fact[]> {
  const lastBooks = await readLast(em, 'books')
  const notBefore = lastBooks && new Date(lastBooks.time.getTime() - BACKDATING + 1)
  return [
    ...(await placeFacts(em, { config, log, now, productNow: clock.productNow(), lastBooks })),
    ...(await settingFacts(em, { now, notBefore })),
  ]
}

function beginLog(config: Config, now: Date): OpenLog {
  const register = requireRegister(config)
  const genesis: EntryOf<'genesis'> = {
    kind: 'genesis',
    time: now,
    origin: register.origin,
    clock: config.demo ? 'demo' : 'real',
    payment: { chainId: PAYMENT_CHAIN_ID, address: lower(config.USDT_ADDRESS), decimals: TOKEN_DECIMALS },
    reward: { chainId: REWARD_CHAIN_ID, address: lower(config.XCR_TOKEN_ADDRESS), decimals: TOKEN_DECIMALS },
    anchor: register.anchor ? { chainId: PAYMENT_CHAIN_ID, address: lower(register.anchor.address) } : null,
    logKey: signerOf(register.origin, register.signingKey).key,
    receiptKey: signerOf(receiptKeyName(register.origin), register.receiptKey).key,
  }
  const { logKey, receiptKey } = genesis
  return { genesis, genesisHash: leafHash(Buffer.from(encodeEntry(genesis))), tree: new GrowingTree(), logKey, receiptKey }
}

const genesisEntry = ({ genesis, genesisHash }: OpenLog): DraftEntry => ({
  index: 0,
  kind: 'genesis',
  text: encodeEntry(genesis),
  leafHash: genesisHash,
  subject: 'genesis',
  identity: null,
  userId: null,
})

/** The configured key is not the one that the log names. */
export class OtherLogKey extends Error {
  constructor() {
    super('ALERT: REGISTER_SIGNING_KEY is not the key that the public register names: nothing is published.')
  }
}

/** @throws {OtherLogKey} */
export function logSignerOf(config: Config, { genesis, logKey }: Pick<OpenLog, 'genesis' | 'logKey'>): SignerKey {
  const signer = signerOf(genesis.origin, requireRegister(config).signingKey)
  if (!equalBytes(signer.key, logKey)) throw new OtherLogKey()
  return signer
}

function requireRegister({ register }: Pick<Config, 'register'>): RegisterConfig {
  if (!register) throw new Error('The register is off.')
  return register
}
