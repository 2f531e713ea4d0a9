import type { MikroORM } from '@mikro-orm/postgresql'
import { SECOND } from '#shared/dates.ts'
import { isPrepared, type PrepareOptions } from '#api/entities/prepareDatabase.ts'

export interface Readiness {
  /** The reason why the process is not ready; undefined if it is. */
  findObstacle(): Promise<string | undefined>
  /** Makes the process permanently unready. */
  beginStop(): void
}

const CHECK_TIMEOUT = 2 * SECOND
/** Results are cached, because anybody may request the check. */
const CACHE_TIME = SECOND / 2

type Subject = Pick<PrepareOptions, 'config' | 'jobNames'> & { orm: MikroORM }

/** A process is ready if its database answers and has this release's tables, and the process is not stopping. */
export function createReadiness({ orm, ...options }: Subject): Readiness {
  let stopping = false
  let last: { obstacle: Promise<string | undefined>; at: number } | undefined

  async function ask(): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve('the database does not answer'), CHECK_TIMEOUT)
    })
    const answer = isPrepared(orm, options).then(
      (prepared) => (prepared ? undefined : 'the database is not prepared for this release'),
      () => 'the database cannot be reached',
    )
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }

  return {
    async findObstacle() {
      if (stopping) return 'this process is stopping'
      if (!last || performance.now() - last.at > CACHE_TIME) last = { obstacle: ask(), at: performance.now() }
      return last.obstacle
    },
    beginStop() {
      stopping = true
    },
  }
}
