import type { EntityManager } from '@mikro-orm/postgresql'
import { HOUR } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import { query } from '#api/entities/tables.ts'
import type { EquationFalse } from './checkEquations.ts'
import type { Fact } from './Draft.ts'

/** After this time the log says that it is held. Rows that are about to agree, such as a pending correction, cause no entry. */
const NOTE_AFTER = HOUR

/** Records that an equation is false, and tells the operator when it begins. @returns whether it begins. */
export const recordHeld = (
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>,
  { equation, because }: EquationFalse,
): Promise<boolean> =>
  services.orm.em.fork().transactional(async (em) => {
    const now = services.clock.now()
    const held = await query(em)
      .updateTable('register_state')
      .set((eb) => ({ heldEquation: equation, heldBecause: because, heldSince: eb.fn.coalesce('heldSince', eb.val(now)) }))
      .returning('heldSince')
      .executeTakeFirstOrThrow()
    if (held.heldSince?.getTime() !== now.getTime()) return false
    await mailOperator(em, services, {
      subject: `${services.config.BRAND_NAME}: the public register publishes no day`,
      paragraphs: [
        `The equation ${equation} of the public register is false: ${because}.`,
        'Rewards, purchases and payouts go on. Nothing is published until it is true; after an hour the log says so.',
      ],
    })
    return true
  })

export async function clearHeld(em: EntityManager): Promise<void> {
  await query(em)
    .updateTable('register_state')
    .set({ heldEquation: null, heldBecause: null, heldSince: null })
    .where('heldEquation', 'is not', null)
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
