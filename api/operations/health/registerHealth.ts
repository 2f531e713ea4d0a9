import { MINUTE } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { describeAge } from './describeAge.ts'
import { check, type HealthSource } from './HealthSource.ts'

/** A paid day that is not published after this time counts as late. */
const LATE_AFTER = 30 * MINUTE

/** Checks whether the public register publishes every paid day and is anchored. No checks if it is off. */
export function registerHealth({ clock, config }: Pick<Services, 'clock' | 'config'>): HealthSource {
  const { register } = config
  if (!register) return async () => []
  return async (em) => {
    const state = await query(em).selectFrom('register_state').selectAll().executeTakeFirstOrThrow()
    const db = query(em)
    const { size, day, anchoredAt } = await db
      .selectNoFrom(({ selectFrom }) => [
        selectFrom('register_checkpoints')
          .select(({ fn }) => fn.max<number | null>('size').as('size'))
          .as('size'),
        selectFrom('register_days')
          .select(({ fn }) => fn.max<string | null>('day').as('day'))
          .as('day'),
        selectFrom('register_anchors')
          .select(({ fn }) => fn.max<Date | null>('time').as('time'))
          .as('anchoredAt'),
      ])
      .executeTakeFirstOrThrow()
    const late = await db
      .selectFrom('reward_runs')
      .select(['day', 'paidAt'])
      .where('paidAt', 'is not', null)
      .where('day', 'not in', ({ selectFrom }) => selectFrom('register_days').select('register_days.day'))
      .orderBy('day')
      .limit(1)
      .executeTakeFirst()
    const now = clock.now().getTime()
    const published = day === null ? 'nothing published yet' : `published up to ${day}, ${size} entries`
    const lateBy = late?.paidAt ? now - late.paidAt.getTime() : 0
    const health = (value: string, advice?: string) => check('Public register', { ok: !advice, value, advice: advice ?? '' })
    const publication = () => {
      if (state.stoppedBecause !== null)
        return health(
          `stopped: ${state.stoppedBecause}`,
          'Nothing is published. Restore the newest backup, then run `npm run admin -- resume-register`.',
        )
      if (state.heldEquation !== null)
        return health(
          `${published}; equation ${state.heldEquation} is false`,
          'No day is published until it is true. The log of the worker says what differs. Purchases, rewards and payouts go on.',
        )
      if (state.heldBecause !== null)
        return health(
          `${published}; ${state.heldBecause}`,
          'Check the RPC endpoints. Publication continues by itself once they answer. Purchases, rewards and payouts go on.',
        )
      if (lateBy > LATE_AFTER)
        return health(
          `${published}; ${late?.day} is unpublished for ${describeAge(lateBy)}`,
          'Check that a worker is running and that the chains answer, and search its log for the register.',
        )
      return health(published)
    }
    if (!register.anchor) return [publication()]
    const anchored = anchoredAt === null ? 'not anchored yet' : `anchored ${describeAge(now - anchoredAt.getTime())} ago`
    return [
      publication(),
      check('Register anchor', {
        ok: state.unanchoredBecause === null,
        value: state.unanchoredBecause === null ? anchored : `not anchored: ${state.unanchoredBecause}`,
        advice: 'The register goes on without new anchors until this is resolved. Verifiers complain after 36 hours.',
      }),
    ]
  }
}
