import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'

/** A paid day that is not published after this time counts as late. */
const LATE_AFTER = 30 * MINUTE

export interface RegisterProgress {
  state: {
    stoppedBecause: string | null
    heldEquation: string | null
    heldBecause: string | null
    unanchoredBecause: string | null
  }
  /** The last published day, and the number of entries. */
  day: string | null
  size: number | null
  /** The time of the newest final anchor. */
  anchoredAt: Date | null
  /** The first day that is paid and not published, and since when it is paid, in milliseconds. */
  due: { day: string; since: number } | undefined
}

/** What the public register has published and anchored. */
export async function readRegisterProgress(em: EntityManager, now: Date): Promise<RegisterProgress> {
  const db = query(em)
  const state = await db
    .selectFrom('register_state')
    .select(['stoppedBecause', 'heldEquation', 'heldBecause', 'unanchoredBecause'])
    .executeTakeFirstOrThrow()
  const published = await db
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
  const unpublished = await db
    .selectFrom('reward_runs')
    .select(['day', 'paidAt'])
    .where('paidAt', 'is not', null)
    .where('day', 'not in', ({ selectFrom }) => selectFrom('register_days').select('register_days.day'))
    .orderBy('day')
    .limit(1)
    .executeTakeFirst()
  return {
    state,
    ...published,
    due: unpublished?.paidAt ? { day: unpublished.day, since: now.getTime() - unpublished.paidAt.getTime() } : undefined,
  }
}

/** Whether a paid day waits for longer than its publication takes. */
export const isDayLate = ({ due }: RegisterProgress): boolean => due !== undefined && due.since > LATE_AFTER

/** Whether the register publishes or anchors later than usual, or not at all. */
export const isRegisterLate = (progress: RegisterProgress): boolean =>
  Object.values(progress.state).some((reason) => reason !== null) || isDayLate(progress)
