import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Output } from '#shared/contract/endpoint.ts'
import type { readRegisterDay } from '#shared/contract/register.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { equalBytes, toBase64 } from '#shared/register/bytes.ts'
import { bodyOf, parseEntry } from '#shared/register/entries.ts'
import { LEAF_SIZE, parseLeaf } from '#shared/register/nodeLeaf.ts'
import {
  daySecret,
  entryCommitment,
  entrySecret,
  type Identity,
  nodeCommitment,
  payoutCommitment,
} from '#shared/register/secrets.ts'
import { numbers, rangesOf } from '#shared/register/values.ts'
import { type Identities, readIdentities } from '#api/accounts/proofs/readIdentities.ts'
import type { Config } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'

/** Entries of the account in one answer. */
const PAGE_SIZE = 200

interface AccountDay {
  userId: string
  day: string
  /** Only entries behind this index. */
  after: number
}

/** A published day as an account sees it; undefined if the day is not in the log or the account not in the register. */
export async function readAccountDay(
  em: EntityManager,
  config: Pick<Config, 'ENCRYPTION_KEY'>,
  { userId, day, after }: AccountDay,
): Promise<Output<typeof readRegisterDay> | undefined> {
  const ofDay = await query(em)
    .selectFrom('register_entries')
    .select(['index', 'text'])
    .where('kind', '=', 'day')
    .where('text', 'like', `day/v1\nday ${day}\n%`)
    .executeTakeFirst()
  const identities = (await readIdentities(em, config, [userId])).get(userId)
  if (!ofDay || !identities) return undefined

  const nodes = await query(em)
    .selectFrom('nodes')
    .select('number')
    .where('user', '=', userId)
    .where('allocatedAt', '<=', rewardInstant(day))
    .orderBy('number')
    .execute()
  const own = await query(em)
    .selectFrom('register_entries')
    .select(['index', 'text'])
    .where('userId', '=', userId)
    .where('index', '>', after)
    .orderBy('index')
    .limit(PAGE_SIZE + 1)
    .execute()
  // With them a page follows the log's key without reading the whole log.
  const keyChanges = await query(em)
    .selectFrom('register_entries')
    .select(['index', 'text'])
    .where('kind', '=', 'key')
    .where('text', 'like', '%\nuse log\n%')
    .where('index', '>', after)
    .execute()
  const books = await readBooks(em, userId)
  const page = own.slice(0, PAGE_SIZE)
  // A further page begins behind the last entry of this one.
  const end = own.length > PAGE_SIZE ? page.at(-1)!.index : Infinity
  const entries = [ofDay, ...keyChanges, ...(books ? [books.entry] : []), ...page].filter(
    ({ index }) => index > after && index <= end,
  )
  const payments = identities.all.length > 1 ? await readPayments(em, userId) : []
  const { proofKey } = await identityOfDay(em, identities, { day, number: nodes[0]?.number })
  return {
    secret: toBase64(daySecret(proofKey, day)),
    numbers: nodes.length > 0 ? numbers.write(rangesOf(nodes.map(({ number }) => number))) : null,
    books: books && { index: books.entry.index, balance: books.balance, debt: books.debt },
    entries: entries
      .toSorted((a, b) => a.index - b.index)
      .map((entry) => ({ ...entry, secret: page.includes(entry) ? secretOf(entry.text, identities, payments) : null })),
    more: own.length > PAGE_SIZE,
  }
}

async function readBooks(em: EntityManager, userId: string) {
  const entry = await query(em)
    .selectFrom('register_entries')
    .select(['index', 'text'])
    .where('kind', '=', 'books')
    .orderBy('index', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!entry) return null
  const account = await query(em)
    .selectFrom('register_balances')
    .select(['balance', 'debt'])
    .where('userId', '=', userId)
    .executeTakeFirst()
  return { entry, balance: account?.balance ?? 0n, debt: account?.debt ?? 0n }
}

/** The identity to which the day's leaves of the account commit: usually the only one. */
async function identityOfDay(
  em: EntityManager,
  { all }: Identities,
  { day, number }: { day: string; number: number | undefined },
): Promise<Identity> {
  const inForce = all.at(-1)!
  if (all.length === 1 || number === undefined) return inForce
  const stored = await query(em)
    .selectFrom('register_days')
    .select(sql<Uint8Array>`substring(leaves from ${(number - 1) * LEAF_SIZE + 1} for ${LEAF_SIZE})`.as('leaf'))
    .where('day', '=', day)
    .executeTakeFirstOrThrow()
  const { commitment } = parseLeaf(stored.leaf)
  const opens = ({ proofKey, emailHash }: Identity) =>
    equalBytes(nodeCommitment({ secret: daySecret(proofKey, day), day, number, emailHash }), commitment)
  return all.find(opens) ?? inForce
}

interface Payment {
  recipient: `0x${string}`
  /** Null if the message is lost. */
  messageHash: Uint8Array | null
}

/** The terms to which the account's payouts may commit. */
async function readPayments(em: EntityManager, userId: string): Promise<Payment[]> {
  const rows = await query(em)
    .selectFrom('withdrawals')
    .select(['toAddress', 'messageHash', 'signature'])
    .where('user', '=', userId)
    .execute()
  return rows.map(({ toAddress, messageHash, signature }) => ({
    recipient: toAddress,
    messageHash: signature === '0x' ? null : Uint8Array.from(Buffer.from(messageHash, 'hex')),
  }))
}

/** Opens the entry's last line. Of several identities it is the one to which the entry commits. */
function secretOf(text: string, { all }: Identities, payments: readonly Payment[]): string | null {
  const entry = parseEntry(text)
  if (!('owner' in entry) || entry.owner === null) return null
  const { kind, owner } = entry
  const body = bodyOf(text)
  const opens = ({ proofKey, emailHash }: Identity) => {
    const seal = { secret: entrySecret(proofKey, body), body, emailHash }
    return kind === 'payout'
      ? payments.some((payment) => equalBytes(payoutCommitment({ ...seal, ...payment }), owner))
      : equalBytes(entryCommitment(seal), owner)
  }
  const identity = all.length === 1 ? all[0] : all.find(opens)
  return identity ? toBase64(entrySecret(identity.proofKey, body)) : null
}
