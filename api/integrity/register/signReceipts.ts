import type { EntityManager } from '@mikro-orm/postgresql'
import { equalBytes } from '#shared/register/bytes.ts'
import { listReceipts } from '#shared/contract/register.ts'
import { parseEntry } from '#shared/register/entries.ts'
import { promisedDay, type Receipt, receiptKeyName } from '#shared/register/receipts.ts'
import { rangesOf } from '#shared/register/values.ts'
import { addToMail } from '#api/accounts/proofs/receiptMail.ts'
import { type ReceiptFacts, receiptFacts, signReceiptsJob } from '#api/accounts/proofs/storeReceipts.ts'
import { lockOf, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { defineJob, type Sweep } from '#api/platform/jobs/defineJob.ts'
import type { Services } from '#api/platform/services.ts'
import { signReceipt } from './receipts.ts'
import { type SignerKey, signerOf } from './signedNotes.ts'

type SigningServices = Pick<Services, 'config' | 'jobs' | 'orm'>

/** Signs the receipts that a transaction has stored. */
export const signReceipts = defineJob({
  ...signReceiptsJob,
  async run({ ids }, services: SigningServices) {
    for (const id of ids) await signOne(services, { id })
  },
})

/** Signs receipts whose job was lost, and those that were stored before the log had an entry. */
export const signDueReceipts: Sweep<'config' | 'jobs' | 'orm'> = {
  name: 'sign-receipts',
  everySeconds: 15,
  async run(services) {
    if (!services.config.register) return
    const due = await query(services.orm.em.fork())
      .selectFrom('register_receipts')
      .select('id')
      .where('note', 'is', null)
      .orderBy('createdAt')
      .limit(500)
      .execute()
    const errors: unknown[] = []
    // One that cannot be signed does not hold up the others.
    for (const { id } of due) await signOne(services, { id }).catch((error: unknown) => errors.push(error))
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} receipts could not be signed.`)
  },
}

/** Signs the receipt of a cause at once, for the answer. If that fails, the job signs it later. */
export async function signNow(services: SigningServices, cause: string): Promise<{ receipt?: string }> {
  const note = await signOne(services, { cause }).catch(() => undefined)
  return note === undefined ? {} : { receipt: note }
}

/** Signs a stored receipt. @returns its note; undefined if there is none or the register may not sign yet. */
async function signOne(services: SigningServices, which: { id: string } | { cause: string }): Promise<string | undefined> {
  const { config, orm } = services
  return orm.em.fork().transactional(async (em) => {
    const stored = await query(em)
      .selectFrom('register_receipts')
      .select(['id', 'user', 'accountHash', 'facts', 'mailId', 'note'])
      .$if('id' in which, (select) => select.where('id', '=', (which as { id: string }).id))
      .$if('cause' in which, (select) => select.where('cause', '=', (which as { cause: string }).cause))
      .executeTakeFirst()
    if (!stored || stored.note !== null) return stored?.note ?? undefined
    const signer = await readSigner(em, config)
    if (!signer) return undefined
    const { id, user: userId, accountHash, mailId } = stored
    const common = { genesis: signer.genesisHash, account: accountHash }
    const note = signReceipt({ ...common, ...readFacts(receiptFacts.parse(stored.facts)) }, signer.key)

    // Positions of one account are given in the order in which they become visible.
    await lockUntilCommit(em, lockOf(`receipts:${userId}`))
    const { next } = await query(em)
      .selectFrom('register_receipts')
      .select((eb) => eb.fn.count<number>('position').as('next'))
      .where('user', '=', userId)
      .executeTakeFirstOrThrow()
    const signed = await query(em)
      .updateTable('register_receipts')
      .set({ note, position: Number(next) })
      .where('id', '=', id)
      .where('note', 'is', null)
      .returning('id')
      .executeTakeFirst()
    // Another process has signed it meanwhile, with the same bytes.
    if (!signed) return note
    if (mailId !== null) await addToMail(em, services, { mailId, userId, note })
    await recordChange(em, { userId, keys: [listReceipts.path] })
    return note
  })
}

/** The key of receipts, as long as the log names it, and the log's genesis hash. */
async function readSigner(
  em: EntityManager,
  { register }: Pick<Services['config'], 'register'>,
): Promise<{ key: SignerKey; genesisHash: Uint8Array } | undefined> {
  if (!register) return undefined
  const rows = await query(em)
    .selectFrom('register_entries')
    .select(['text', 'leafHash'])
    .where((eb) => eb.or([eb('kind', '=', 'genesis'), eb.and([eb('kind', '=', 'key'), eb('text', 'like', '%\nuse receipt\n%')])]))
    .orderBy('index')
    .execute()
  const [genesis, ...changes] = rows.map(({ text }) => parseEntry(text))
  if (genesis?.kind !== 'genesis' || (await isStopped(em))) return undefined
  const last = changes.at(-1)
  const named = last?.kind === 'key' && last.new ? last.new : genesis.receiptKey
  const key = signerOf(receiptKeyName(genesis.origin), register.receiptKey)
  // After a change of the key, receipts wait until the log names the new one.
  return equalBytes(key.key, named) ? { key, genesisHash: rows[0]!.leafHash } : undefined
}

/** A log that is not the anchored one signs nothing. */
async function isStopped(em: EntityManager): Promise<boolean> {
  const state = await query(em).selectFrom('register_state').select('stoppedBecause').executeTakeFirst()
  return state?.stoppedBecause != null
}

type Unbound<R> = R extends Receipt ? Omit<R, 'genesis' | 'account'> : never

/** The receipt's lines apart from those that all receipts of an account share. */
function readFacts(facts: ReceiptFacts): Unbound<Receipt> {
  const time = new Date(facts.time)
  if (facts.kind === 'account') return { kind: 'account', time }
  const promise = { time, by: promisedDay(time) }
  if (facts.kind === 'withdrawal')
    return {
      kind: 'withdrawal',
      ...promise,
      net: BigInt(facts.net),
      fee: BigInt(facts.fee),
      recipient: facts.recipient,
      message: Uint8Array.from(Buffer.from(facts.message, 'hex')),
    }
  return {
    kind: 'nodes',
    ...promise,
    cause: facts.cause,
    numbers: rangesOf(facts.numbers.toSorted((a, b) => a - b)),
    active: new Date(facts.active),
    price: facts.price === null ? null : BigInt(facts.price),
    transfers:
      facts.transfers.length > 0
        ? facts.transfers.toSorted((a, b) =>
            a.transaction === b.transaction ? a.ordinal - b.ordinal : a.transaction < b.transaction ? -1 : 1,
          )
        : null,
  }
}
