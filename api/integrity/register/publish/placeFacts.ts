import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID, REWARD_CHAIN_ID } from '#shared/sale.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { receiptKeyName } from '#shared/register/receipts.ts'
import { toBase64 } from '#shared/register/bytes.ts'
import type { Hex } from '#shared/register/values.ts'
import type { Config } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openPayingWallet } from '../openPayingWallet.ts'
import { signerOf } from '../signedNotes.ts'
import type { Fact } from './Draft.ts'
import type { OpenLog } from './openLog.ts'
import { readSubjects } from './readSubjects.ts'
import { BEGINNING } from './settingFacts.ts'

export type PlaceConfig = Pick<
  Config,
  'register' | 'DEPOSIT_START_BLOCK' | 'PAYOUT_PRIVATE_KEY' | 'TOTAL_NODE_SUPPLY' | 'demo' | 'USDT_ADDRESS' | 'XCR_TOKEN_ADDRESS'
>

interface Options {
  config: PlaceConfig
  log: Pick<OpenLog, 'genesis' | 'genesisHash' | 'receiptKey'>
  now: Date
  productNow: Date
  /** The newest books, and the last day in the log. */
  lastBooks: Pick<EntryOf<'books'>, 'paymentBlock' | 'rewardBlock'> | undefined
}

/** The supply, the addresses and the receipt key that are not in the log. */
export async function placeFacts(em: EntityManager, options: Options): Promise<Fact[]> {
  const published = await readSubjects(em, ['supply', 'address', 'key'])
  const facts = [
    ...(await supplyFacts(em, options)),
    ...(await depositAddressFacts(em, options)),
    ...(await walletFacts(options, published)),
    ...anchorFacts(options),
    ...receiptKeyFacts(options),
  ]
  return facts.filter(({ subject }) => !published.has(subject))
}

async function supplyFacts(em: EntityManager, { now, productNow }: Options): Promise<Fact[]> {
  const row = await query(em).selectFrom('supply').select('total').executeTakeFirst()
  if (!row) return []
  const last = await query(em)
    .selectFrom('register_entries')
    .select(['text', 'subject'])
    .where('kind', '=', 'supply')
    .orderBy('index', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last?.text.endsWith(`\nsupply ${row.total}\n`)) return []
  const from = last ? productNow : BEGINNING
  // The count makes a supply that returns to an earlier value another fact.
  const subject = `supply:${Number(last?.subject?.split(':')[1] ?? 0) + 1}`
  return [{ subject, time: now, entry: { kind: 'supply', time: now, from, supply: row.total } }]
}

async function depositAddressFacts(em: EntityManager, { config, lastBooks, now }: Options): Promise<Fact[]> {
  // Transfers to an added address are found from the watcher's second reading on, and some of them before this publication.
  const rows = await sql<{ address: Hex; block: number }>(
    em,
    `select address, least(
       (select verified_number + 1 from chain_progress where chain_id = $1),
       (select min(block_number) from deposits where recipient = address and amount > 0))::int as block
     from deposit_addresses order by address`,
    [PAYMENT_CHAIN_ID],
  )
  return rows.map(({ address, block }): Fact => {
    const first = lastBooks ? Math.max(block, (lastBooks.paymentBlock?.number ?? -1) + 1) : Number(config.DEPOSIT_START_BLOCK)
    return addressFact({ time: now, role: 'deposit', chain: PAYMENT_CHAIN_ID, address, block: first, proof: null })
  })
}

/** The wallet whose key is configured. Wallets of earlier keys were published while they were. */
async function walletFacts({ config, log, lastBooks, now }: Options, published: ReadonlySet<string>): Promise<Fact[]> {
  const { wallet, signProof } = await openPayingWallet(config)
  if (published.has(`address:wallet:${wallet}`)) return []
  const { genesis, genesisHash } = log
  const block = lastBooks ? (lastBooks.rewardBlock?.number ?? -1) + 1 : 0
  const proof = await signProof({ origin: genesis.origin, genesisHash })
  return [addressFact({ time: now, role: 'wallet', chain: REWARD_CHAIN_ID, address: wallet, block, proof })]
}

function anchorFacts({ config, log, now }: Options): Fact[] {
  const address = config.register?.anchor && lower(config.register.anchor.address)
  if (!address || address === log.genesis.anchor?.address) return []
  return [addressFact({ time: now, role: 'anchor', chain: PAYMENT_CHAIN_ID, address, block: 0, proof: null })]
}

const addressFact = (about: Omit<EntryOf<'address'>, 'kind'>): Fact => ({
  subject: `address:${about.role}:${about.address}`,
  time: about.time,
  entry: { kind: 'address', ...about },
})

function receiptKeyFacts({ config, log, now }: Options): Fact[] {
  if (!config.register) return []
  const key = signerOf(receiptKeyName(log.genesis.origin), config.register.receiptKey).key
  const [old, renewed] = [toBase64(log.receiptKey), toBase64(key)]
  if (old === renewed) return []
  const entry = { kind: 'key', time: now, use: 'receipt', old: log.receiptKey, new: key, proof: null } as const
  return [{ subject: `key:receipt:${old}:${renewed}`, time: now, entry }]
}

export const lower = (address: string): Hex => `0x${address.slice(2).toLowerCase()}`
