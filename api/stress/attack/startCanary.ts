import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

/**
 * Starts a server with one deliberate vulnerability for each scanner: an SQL injection that returns database errors, and cross-site
 * scripting. The run of a scanner that does not find them proves nothing.
 */
export async function startCanary(databaseUrl: string): Promise<{ url: string; stop(): Promise<void> }> {
  const database = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  // In a schema of its own: the product refuses tables that it does not own beside its own.
  await database.query('create schema canary create table birds (id int primary key, name text)')
  await database.query(`insert into canary.birds values (1, 'yellow'), (2, 'green')`)

  const respond = async (url: string): Promise<string | undefined> => {
    const { pathname, searchParams } = new URL(url, 'http://canary')
    if (pathname === '/greeting') return `Hello ${searchParams.get('name')}`
    if (pathname === '/') return '<a href="/bird?id=1">bird</a> <a href="/greeting?name=you">greeting</a>'
    if (pathname !== '/bird') return undefined
    const result = await database.query<{ name: string }>(`select name from canary.birds where id = ${searchParams.get('id')}`)
    // Several statements give several results.
    return [result]
      .flat()
      .flatMap(({ rows }) => rows.map(({ name }) => name))
      .join()
  }
  const server = createServer((request, response) => {
    const send = (status: number, html: string) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end(`<html><body>${html}</body></html>`)
    respond(request.url ?? '/').then(
      (html) => (html === undefined ? send(404, 'nothing') : send(200, html)),
      (error: Error) => send(500, error.message),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await database.end()
    },
  }
}
