import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { HOUR } from '#shared/dates.ts'
import { parseEntry } from '#shared/register/entries.ts'
import { query } from '#api/entities/tables.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'
import { identifyDatabase } from '#api/sale/purchases/restoredDatabase.ts'
import type { Services } from '#api/platform/services.ts'

type Needed = Pick<Services, 'config' | 'jobs' | 'orm'>

/** Why nothing may be signed for the log; null if it may. */
export async function whyStopped(em: EntityManager): Promise<string | null> {
  const row = await query(em).selectFrom('register_state').select('stoppedBecause').executeTakeFirst()
  return row?.stoppedBecause ?? null
}

/** Stops publication until an operator has compared the log with its anchors. @returns false if it was stopped already. */
export const stopPublication = (services: Needed, because: string): Promise<boolean> =>
  services.orm.em.fork().transactional(async (em) => {
    const stopped = await query(em)
      .updateTable('register_state')
      .set({ stoppedBecause: because, stoppedAt: new Date() })
      .where('stoppedBecause', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (stopped) await tellOperator(em, services, because)
    return stopped !== undefined
  })

export async function resumePublication(em: EntityManager): Promise<void> {
  await query(em).updateTable('register_state').set({ stoppedBecause: null, stoppedAt: null }).execute()
  await noteSignedHere(em)
}

/** Notes that the log is signed in this database. */
export async function noteSignedHere(em: EntityManager): Promise<void> {
  const signedIn = await identifyDatabase(em, 'register_state')
  // Rarely changes anything: a snapshot's transaction must not wait for others that change the row.
  await query(em).updateTable('register_state').set({ signedIn }).where('signedIn', 'is distinct from', signedIn).execute()
}

/**
 * The size of the log if it was last signed in another database, of which this is a restored dump. Entries after it may have been
 * published, and signing others in their place would be a fork. Undefined if it is the same database, or if nothing is published.
 */
export async function readRestoredSize(em: EntityManager): Promise<number | undefined> {
  const state = await query(em).selectFrom('register_state').select('signedIn').executeTakeFirst()
  if (!state?.signedIn) return undefined
  if ((await identifyDatabase(em, 'register_state')) === state.signedIn) return undefined
  const newest = await query(em)
    .selectFrom('register_checkpoints')
    .select(({ fn }) => fn.max('size').as('size'))
    .executeTakeFirst()
  return newest?.size ?? undefined
}

/**
 * Records why new roots are not anchored, and until when they have to be.
 *
 * @returns whether the cause or the deadline has changed, so that the caller logs it.
 */
export const reportUnanchored = (services: Needed & Pick<Services, 'clock'>, cause: string): Promise<boolean> =>
  services.orm.em.fork().transactional(async (em) => {
    const deadline = services.config.demo ? undefined : await readAnchorDeadline(em, services.clock.now())
    const until = deadline?.until.toISOString().slice(0, 16).replace('T', ' ')
    const because = deadline
      ? `${cause} Unless it is anchored before ${until} UTC, the check of day ${deadline.day} fails for good for everybody.`
      : cause
    const reported = await query(em)
      .updateTable('register_state')
      .set((eb) => ({ unanchoredBecause: because, unanchoredSince: eb.fn.coalesce('unanchoredSince', eb.val(new Date())) }))
      .where('unanchoredBecause', 'is distinct from', because)
      .returning('id')
      .executeTakeFirst()
    if (reported) await tellOperator(em, services, because)
    return reported !== undefined
  })

/** Verifiers demand that a day is anchored within this time after it was due, unless it was published as caught up (format.md, "Ticks"). */
const ANCHORED_WITHIN = 36 * HOUR

/** The oldest published day that can still be anchored in time, and is not. */
async function readAnchorDeadline(em: EntityManager, now: Date): Promise<{ day: string; until: Date } | undefined> {
  const anchored = await query(em)
    .selectFrom('register_anchors')
    .select(({ fn }) => fn.max('size').as('size'))
    .executeTakeFirst()
  const rows = await query(em)
    .selectFrom('register_entries')
    .select('text')
    .where('kind', 'in', ['day', 'note'])
    .where('index', '>=', anchored?.size ?? 0)
    .orderBy('index')
    .execute()
  const caughtUp = new Set<string | null>()
  for (const entry of rows.map(({ text }) => parseEntry(text))) {
    if (entry.kind === 'note' && entry.topic === 'caught-up') caughtUp.add(entry.subject)
    if (entry.kind !== 'day' || caughtUp.has(entry.day)) continue
    const until = new Date(entry.due.getTime() + ANCHORED_WITHIN)
    if (until > now) return { day: entry.day, until }
  }
  return undefined
}

export async function reportAnchored({ em }: Pick<MikroORM, 'em'>): Promise<void> {
  await query(em.fork())
    .updateTable('register_state')
    .set({ unanchoredBecause: null, unanchoredSince: null })
    .where('unanchoredBecause', 'is not', null)
    .execute()
}

const tellOperator = (em: EntityManager, services: Needed, because: string): Promise<void> =>
  mailOperator(em, services, {
    subject: `${services.config.BRAND_NAME}: the public register needs an operator`,
    paragraphs: [because],
  })
