import { newId } from '#api/platform/db/newId.ts'
import { retry } from './retry.ts'
import type { ChaosUser } from './createUsers.ts'
import type { Run } from './Run.ts'

/** Authorizes one action of the session, as a code of the authenticator does. */
export async function grantMark(run: Run, { userId, sessionKey }: ChaosUser): Promise<void> {
  const id = newId()
  await retry(run, () =>
    run.world.database.query(
      'insert into step_up_marks (id, user_id, session_key, granted_at) values ($1, $2, $3, now()) on conflict do nothing',
      [id, userId, sessionKey],
    ),
  )
}
