import type { MikroORM } from '@mikro-orm/postgresql'
import { SECOND } from '#shared/dates.ts'
import { isPrepared, type PrepareOptions } from '#api/entities/prepareDatabase.ts'

export interface Readiness {
  /** Why requests should go to another process; undefined if they may come. */
  findObstacle(): Promise<string | undefined>
  /** From now on there is one for good. */
  beginStop(): void
}

/** How long the database is waited for, and for how long an answer stands: anybody may ask. */
const PATIENCE = 2 * SECOND
const STANDS = SECOND / 2

type Subject = Pick<PrepareOptions, 'config' | 'jobNames'> & { orm: MikroORM }

/** Whether a process may be given work: its database answers and has the tables of this release, and it is not about to stop. */
export function createReadiness({ orm, ...options }: Subject): Readiness {
  let stopping = false
  let last: { obstacle: Promise<string | undefined>; at: number } | undefined

  async function ask(): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve('the database does not answer'), PATIENCE)
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
      if (!last || performance.now() - last.at > STANDS) last = { obstacle: ask(), at: performance.now() }
      return last.obstacle
    },
    beginStop() {
      stopping = true
    },
  }
}
