import type { Pool, PoolClient } from 'pg'

/**
 * Gives a connection that breaks back to its pool, which makes room for another one.
 *
 * The query builder under the ORM does that only after its rollback, which fails on a broken connection: without this each transaction
 * that is cut off, as all are when the database restarts, takes a place of the pool for ever, until nobody can connect any more.
 */
export function releaseBroken(pool: Pool): void {
  const listeners = new WeakMap<PoolClient, () => void>()
  pool.on('acquire', (client) => {
    const release = () => {
      client.release(true)
      // Its user may give it back too.
      client.release = () => {}
    }
    listeners.set(client, release)
    client.once('end', release)
  })
  pool.on('release', (_error, client) => {
    const release = listeners.get(client as PoolClient)
    if (release) client.off('end', release)
  })
}
