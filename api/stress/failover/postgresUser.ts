import { spawnSync } from 'node:child_process'

/** The user that runs PostgreSQL, which refuses to run as root. */
export interface PostgresUser {
  uid: number
  gid: number
}

/** The options of `setpriv` that run a program as this user. */
export const asUser = ({ uid, gid }: PostgresUser): string[] => [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']

export function findPostgresUser(): PostgresUser {
  const ids = ['-u', '-g'].map((option) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout))
  return { uid: ids[0]!, gid: ids[1]! }
}
