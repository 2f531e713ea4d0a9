import type { EntityManager } from '@mikro-orm/postgresql'
import { HOUR } from '#shared/dates.ts'
import type { FormatError } from '#shared/register/FormatError.ts'
import { sql } from '#api/platform/db/sql.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import { query } from '#api/entities/tables.ts'
import { type BooksIncomplete, EquationFalse } from './checkEquations.ts'
import type { Fact } from './Draft.ts'

/** After this time the log says that it is held. Rows that are about to agree, such as a pending correction, cause no entry. */
const NOTE_AFTER = HOUR

/**
 * Records that no day is published, and tells the operator when that begins, or when an equation turns out to be false beyond books that
 * are incomplete, or rows that the format does not allow. @returns whether the operator was told.
 */
export const recordHeld = (
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>,
  cause: EquationFalse | BooksIncomplete | FormatError,
): Promise<boolean> =>
  services.orm.em.fork().transactional(async (em) => {
    const now = services.clock.now()
    const [equation, because] = cause instanceof EquationFalse ? [cause.equation, cause.because] : [null, cause.message]
    const [state] = await sql<{ isNew: boolean }>(
      em,
      `with before as (select held_since is null or (held_equation is null and $1::text is not null) as "isNew" from register_state for update)
       update register_state set held_equation = coalesce($1, held_equation), held_because = $2,
         held_since = case when "isNew" then $3 else held_since end
       from before returning "isNew"`,
      [equation, because, now],
    )
    if (!state!.isNew) return false
    await mailOperator(em, services, {
      subject: `${services.config.BRAND_NAME}: the public register publishes no day`,
      paragraphs: equation
        ? [
            `The equation ${equation} of the public register is false: ${because}.`,
            'Rewards, purchases and payouts go on. Nothing is published until it is true; after an hour the log says so.',
          ]
        : [
            `The books of the public register cannot be written: ${because}.`,
            'Rewards and purchases go on. Publication continues by itself once this is over.',
          ],
    })
    return true
  })

export async function clearHeld(em: EntityManager): Promise<void> {
  await query(em)
    .updateTable('register_state')
    .set({ heldEquation: null, heldBecause: null, heldSince: null })
    .where('heldSince', 'is not', null)
    .execute()
}

/** The note that publication is held, once for each equation and day. */
export async function heldFacts(em: EntityManager, { now }: { now: Date }): Promise<Fact[]> {
  const state = await query(em).selectFrom('register_state').select(['heldEquation', 'heldSince']).executeTakeFirst()
  if (!state?.heldEquation || !state.heldSince || now.getTime() - state.heldSince.getTime() < NOTE_AFTER) return []
  const subject = `held:${state.heldEquation}:${state.heldSince.toISOString()}`
  const known = await sql(em, 'select from register_entries where subject = $1', [subject])
  if (known.length > 0) return []
  return [{ subject, time: now, entry: { kind: 'note', time: now, topic: 'held', subject: state.heldEquation, text: null } }]
}
