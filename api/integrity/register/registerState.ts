import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'
import { identifyDatabase } from '#api/sale/deposits/restoredDatabase.ts'
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
  const identity = await identifyDatabase(em, 'register_state')
  if (identity === null || identity === state.signedIn) return undefined
  const newest = await query(em)
    .selectFrom('register_checkpoints')
    .select(({ fn }) => fn.max('size').as('size'))
    .executeTakeFirst()
  return newest?.size ?? undefined
}

/** Records why new roots are not anchored. @returns whether this reason is new, so that the caller logs it. */
export const reportUnanchored = (services: Needed, because: string): Promise<boolean> =>
  services.orm.em.fork().transactional(async (em) => {
    const reported = await query(em)
      .updateTable('register_state')
      .set((eb) => ({ unanchoredBecause: because, unanchoredSince: eb.fn.coalesce('unanchoredSince', eb.val(new Date())) }))
      .where('unanchoredBecause', 'is distinct from', because)
      .returning('id')
      .executeTakeFirst()
    if (reported) await tellOperator(em, services, because)
    return reported !== undefined
  })

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
