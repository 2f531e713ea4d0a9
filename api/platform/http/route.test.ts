import Router from '@koa/router'
import Koa from 'koa'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from '#shared/contract/endpoint.ts'
import { respondWithErrors } from './respondWithErrors.ts'
import { route } from './route.ts'

const half = endpoint({
  method: 'GET',
  path: '/api/half',
  access: 'public',
  limit: 'none',
  query: z.object({ of: z.codec(z.string().regex(/^\d+$/, 'Not a number.'), z.int(), { decode: Number, encode: String }) }),
  response: z.object({ half: z.int() }),
})

/** Serves `half` and collects the reported errors. */
async function serve(): Promise<{ ask: (of: string) => Promise<[number, unknown]>; reported: unknown[] }> {
  const app = new Koa()
  const reported: unknown[] = []
  app.on('error', (error) => void reported.push(error))
  const router = new Router()
  route(router, half, ({ query }) => ({ half: query.of / 2 }))
  app.use(respondWithErrors).use(router.routes())
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    reported,
    async ask(of) {
      const response = await fetch(`http://127.0.0.1:${port}${half.path}?of=${of}`, { headers: { connection: 'close' } })
      return [response.status, await response.json()]
    },
  }
}

test('invalid input gets a 400, an invalid response becomes a reported 500', async () => {
  const { ask, reported } = await serve()

  expect(await ask('4')).toEqual([200, { half: 2 }])
  expect(await ask('x')).toEqual([400, { code: 'invalid_request', message: 'Not a number.', details: { of: 'Not a number.' } }])
  expect(reported).toEqual([])

  expect(await ask('5')).toEqual([500, expect.objectContaining({ code: 'internal' })])
  expect(reported).toHaveLength(1)
})
