import type { EntityManager } from '@mikro-orm/postgresql'
import type { AuditAction } from '#shared/auditActions.ts'
import { equalBytes } from '#shared/register/bytes.ts'
import { encodeEntry } from '#shared/register/entries.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { receiptKeyName } from '#shared/register/receipts.ts'
import { leafHash } from '#shared/register/tree.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import type { RegisterConfig } from '#api/platform/config.ts'
import { lockNamed, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import type { Services } from '#api/platform/services.ts'
import { requireOwnAnchors } from '../checkAnchors.ts'
import { encodeLogKeyChange } from '../keyChange.ts'
import { signerOf, type SignerKey } from '../signedNotes.ts'
import { logSignerOf } from './appendFacts.ts'
import { openLog, type OpenLog } from './openLog.ts'
import { signLog, storeEntries } from './storeDraft.ts'

type Needed = Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>

/** The entry cannot be published as requested; nothing was changed. */
export class EntryRefused extends Error {
  override name = 'EntryRefused'
}

interface Addition {
  texts: readonly string[]
  signers: readonly [SignerKey, ...SignerKey[]]
}

/** Appends entries that an operator asked for, with their checkpoint. Workers that publish wait, or are waited for. */
async function append(
  services: Needed,
  { actor, action, after }: { actor: string; action: AuditAction; after: object },
  make: (log: OpenLog, options: { register: RegisterConfig; now: Date }) => Addition,
): Promise<void> {
  const { clock, config, orm } = services
  const { register } = config
  if (!register) throw new EntryRefused('The register is off.')
  await requireOwnAnchors(services, paymentEndpoints(config))
  await orm.em.fork().transactional(async (em: EntityManager) => {
    await lockUntilCommit(em, lockNamed('publish-register'))
    const log = await openLog(em)
    if (!log) throw new EntryRefused('Nothing is published yet.')
    const now = clock.now()
    const { texts, signers } = make(log, { register, now })
    const entries = texts.map((text, offset) => ({
      index: log.tree.size + offset,
      kind: text.slice(0, text.indexOf('/')),
      text,
      leafHash: leafHash(Buffer.from(text)),
      subject: null,
      identity: null,
      userId: null,
    }))
    await storeEntries(em, entries, { now })
    await signLog(em, entries, { tree: log.tree, signers, now })
    recordAudit(em, { actor, action, after })
  })
}

/** Publishes that the configured keys replace those that the log names. */
export async function rotateRegisterKeys(
  services: Needed,
  { actor, oldSigningKey }: { actor: string; oldSigningKey: Uint8Array | undefined },
): Promise<string> {
  const changed: string[] = []
  await append(services, { actor, action: 'register.rotate_keys', after: { keys: changed } }, (log, { register, now: time }) => {
    const { origin } = log.genesis
    const signer = signerOf(origin, register.signingKey)
    const receiptKey = signerOf(receiptKeyName(origin), register.receiptKey).key
    const old = oldSigningKey && signerOf(origin, oldSigningKey)
    const isLogChanged = !equalBytes(signer.key, log.logKey)
    if (isLogChanged && old && !equalBytes(old.key, log.logKey))
      throw new EntryRefused('OLD_REGISTER_SIGNING_KEY is not the key that the register names.')
    const texts: string[] = []
    if (isLogChanged) {
      const change = { kind: 'key', time, use: 'log', old: log.logKey, new: signer.key } as const
      texts.push(encodeLogKeyChange(change, { old: old ?? null, genesisHash: log.genesisHash }))
      changed.push('log')
    }
    if (!equalBytes(receiptKey, log.receiptKey)) {
      texts.push(encodeEntry({ kind: 'key', time, use: 'receipt', old: log.receiptKey, new: receiptKey, proof: null }))
      changed.push('receipt')
    }
    if (texts.length === 0) throw new EntryRefused('The register names the configured keys already.')
    // The key that was in force also signs the first checkpoint after its change, so that it is known to have agreed.
    return { texts, signers: isLogChanged && old ? [signer, old] : [signer] }
  })
  return `The register names the new ${changed.join(' key and the new ')} key.`
}

/** Publishes a sentence, or that an entry is wrong. */
export async function addRegisterNote(
  services: Needed,
  { actor, text, wrongEntry }: { actor: string; text: string; wrongEntry: number | undefined },
): Promise<string> {
  const topic = wrongEntry === undefined ? 'message' : 'wrong'
  const subject = wrongEntry === undefined ? null : String(wrongEntry)
  await append(services, { actor, action: 'register.note', after: { topic, subject, text } }, (log, { now: time }) => {
    if (wrongEntry !== undefined && wrongEntry >= log.tree.size)
      throw new EntryRefused(`The register has ${log.tree.size} entries, and none with the index ${wrongEntry}.`)
    return { texts: [encodeNote({ time, topic, subject, text })], signers: [logSignerOf(services.config, log)] }
  })
  return 'The note is published.'
}

function encodeNote(note: { time: Date; topic: 'message' | 'wrong'; subject: string | null; text: string }): string {
  try {
    return encodeEntry({ kind: 'note', ...note })
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new EntryRefused('A note has 1 to 200 letters, digits and signs of English, without spaces at its ends.')
  }
}
