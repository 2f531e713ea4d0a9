import type { Pool, PoolClient } from 'pg'

/**
 * Releases broken connections to their pool, which makes room for new ones.
 *
 * The ORM's query builder releases a connection only after its rollback, which fails on a broken connection. Without this, each
 * transaction cut off by a database restart would occupy a place in the pool forever, until the pool is exhausted.
 */
export function releaseBroken(pool: Pool): void {
  const listeners = new WeakMap<PoolClient, () => void>()
  pool.on('acquire', (client) => {
    const release = () => {
      client.release(true)
      // The holder may release it as well.
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
