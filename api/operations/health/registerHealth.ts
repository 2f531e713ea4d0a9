import type { EntityManager } from '@mikro-orm/postgresql'
import { compareGenesis } from '#shared/register/compareGenesis.ts'
import { parseEntry } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { isDayLate, readRegisterProgress } from '../status/registerProgress.ts'
import { describeAge } from './describeAge.ts'
import { check, type HealthSource } from './HealthSource.ts'

/** Checks whether the public register publishes every paid day and is anchored. No checks if it is off. */
export function registerHealth({ clock, config }: Pick<Services, 'clock' | 'config'>): HealthSource {
  const { register, USDT_ADDRESS, XCR_TOKEN_ADDRESS } = config
  if (!register) return async () => []
  return async (em) => {
    const now = clock.now()
    const progress = await readRegisterProgress(em, now)
    const { state, size, day, anchoredAt, due } = progress
    const genesis = await readGenesis(em)
    const published = day === null ? 'nothing published yet' : `published up to ${day}, ${size} entries`
    const health = (value: string, advice?: string) => check('Public register', { ok: !advice, value, advice: advice ?? '' })
    const publication = () => {
      if (state.stoppedBecause !== null)
        return health(
          `stopped: ${state.stoppedBecause}`,
          'Nothing is published. Restore the newest backup, then run `npm run admin -- resume-register`.',
        )
      const other = genesis && compareGenesis(genesis, { origin: register.origin, usdt: USDT_ADDRESS, xcr: XCR_TOKEN_ADDRESS })
      if (other !== undefined)
        return health(other, 'Correct the configuration, or begin a new register (README, The public register).')
      if (state.heldEquation !== null)
        return health(
          `${published}; equation ${state.heldEquation} is false`,
          'No day is published until it is true. The log of the worker says what differs. Purchases, rewards and payouts go on.',
        )
      if (state.heldBecause !== null)
        return health(
          `${published}; ${state.heldBecause}`,
          'Publication continues by itself once this is over. Purchases and rewards go on.',
        )
      if (due && isDayLate(progress))
        return health(
          `${published}; ${due.day} is unpublished for ${describeAge(due.since)}`,
          'Check that a worker is running and that the chains answer, and search its log for the register.',
        )
      return health(published)
    }
    if (!register.anchor) return [publication()]
    const anchored =
      anchoredAt === null ? 'not anchored yet' : `anchored ${describeAge(now.getTime() - anchoredAt.getTime())} ago`
    return [
      publication(),
      check('Register anchor', {
        ok: state.unanchoredBecause === null,
        value: state.unanchoredBecause === null ? anchored : `not anchored: ${state.unanchoredBecause}`,
        advice:
          'The register goes on without new anchors until this is resolved. A day without an anchor for 36 hours fails the check for good.',
      }),
    ]
  }
}

async function readGenesis(em: EntityManager): Promise<EntryOf<'genesis'> | undefined> {
  const row = await query(em).selectFrom('register_entries').select('text').where('kind', '=', 'genesis').executeTakeFirst()
  const entry = row && parseEntry(row.text)
  return entry?.kind === 'genesis' ? entry : undefined
}
