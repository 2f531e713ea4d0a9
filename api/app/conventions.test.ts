import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { callTexts } from '#shared/contract/callTexts.ts'
import { getNodePage, getNodeStats } from '#shared/contract/nodes.ts'
import { API_VERSION, getOpenApi } from '#shared/contract/openApi.ts'
import { createPurchase, createReservation, getReservation, listPurchases } from '#shared/contract/purchases.ts'
import { getStatus } from '#shared/contract/status.ts'
import { requestWithdrawal } from '#shared/contract/withdrawals.ts'
import { errorBody } from '#shared/errors.ts'
import { demoRoutes } from '#api/dev/demo/demoRoutes.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { nameOf, readContract } from '#api/testing/readContract.ts'
import { startSale } from '#api/testing/sale.ts'
import { startServer } from '#api/testing/server.ts'

const database = useDatabase()

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const refusalOf = async (response: Response) => errorBody.parse(await response.json())

test('every endpoint of the contract is described by a valid OpenAPI 3.1 document', async () => {
  const { url } = await startServer(database, { extraRoutes: [demoRoutes] })
  const document = getOpenApi.response.parse(await (await fetch(url + getOpenApi.path)).json())

  expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true })
  expect(document.openapi).toBe('3.1.1')
  const described = Object.entries(document.paths).flatMap(([path, calls]) =>
    Object.keys(calls as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const expected = (await readContract()).map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  expect(described.toSorted()).toEqual(expected.toSorted())
})

test('every operation has a summary of its own words, and no text is left over', async () => {
  expect(Object.keys(callTexts).toSorted()).toEqual((await readContract()).map(nameOf).toSorted())

  const { url } = await startServer(database, { extraRoutes: [demoRoutes] })
  const { paths } = getOpenApi.response.parse(await (await fetch(url + getOpenApi.path)).json())
  for (const [path, calls] of Object.entries(paths))
    for (const [method, { summary, description }] of Object.entries(calls as Record<string, Record<string, string>>))
      expect([method, path, summary, description]).toEqual([
        method,
        path,
        expect.stringMatching(/^[A-Z].{5,90}[^.]$/),
        expect.stringMatching(/^[A-Z].*\.$/),
      ])
})

test('the document describes amounts as strings, who may call, and what is idempotent', async () => {
  const { url } = await startServer(database)
  const { paths } = getOpenApi.response.parse(await (await fetch(url + getOpenApi.path)).json())

  expect(paths[createReservation.path]).toMatchObject({
    post: {
      security: [{ user: [] }],
      parameters: [{ name: 'Idempotency-Key', in: 'header' }],
      requestBody: { content: { 'application/json': { schema: { required: ['requestedQuantity'] } } } },
      responses: {
        201: {
          headers: { 'Idempotent-Replayed': {} },
          content: { 'application/json': { schema: { properties: { unitPriceUsdt: { type: 'string' } } } } },
        },
      },
    },
  })
})

test('the document says in which roles an administrator may call', async () => {
  const { url } = await startServer(database)
  const { paths } = getOpenApi.response.parse(await (await fetch(url + getOpenApi.path)).json())
  const described = (path: string) => JSON.stringify(paths[path])
  expect(described('/api/admin/withdrawals/{id}/approve')).toContain('In the role finance or owner.')
  expect(described('/api/admin/withdrawals/{id}/approve')).toContain('"x-roles":["finance","owner"]')
  expect(described('/api/admin/stats')).toContain('In any role.')
  expect(described('/api/node-purchase')).not.toContain('x-roles')
})

test('a wrong method is refused and the right ones are named', async () => {
  const { url } = await startServer(database, { extraRoutes: [demoRoutes] })
  const paths = Map.groupBy(await readContract(), ({ path }) => path.replaceAll(/:\w+/g, '1'))

  for (const [path, endpoints] of paths) {
    if (endpoints.some(({ path: pattern }) => pattern === getNodePage.path)) continue
    const response = await fetch(url + path, { method: 'PUT' })
    expect([path, response.status, (await refusalOf(response)).code]).toEqual([path, 405, 'method_not_allowed'])
    const allowed = response.headers.get('allow')?.split(', ') ?? []
    expect(allowed, path).toEqual(expect.arrayContaining(endpoints.map(({ method }) => method)))
  }
})

test('HEAD and unknown query parameters work', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)

  const head = await browser.fetch(server.url + listPurchases.path, { method: 'HEAD' })
  const answer = await browser.fetch(`${server.url}${listPurchases.path}?utm=1`)

  expect([head.status, await head.text(), answer.status, await answer.json()]).toEqual([200, '', 200, []])
})

test('every answer names the version of the API', async () => {
  const { url } = await startServer(database)
  const response = await fetch(`${url}/api/user/nodes`)

  expect(response.headers.get('x-api-version')).toBe(API_VERSION)
  expect((await fetch(url + getNodeStats.path)).headers.get('x-api-version')).toBe(API_VERSION)
})

test.each([getNodeStats, getOpenApi])('a weakened tag of $path, or one of several, still matches', async ({ path }) => {
  const { url } = await startServer(database)
  const etag = (await fetch(url + path)).headers.get('etag')!

  for (const tag of [`W/${etag}`, `"other", ${etag}`, '*'])
    expect([tag, (await fetch(url + path, { headers: { 'if-none-match': tag } })).status]).toEqual([tag, 304])
  expect((await fetch(url + path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
})

test('pages of other sites may read public figures and the description of the API, and nothing else', async () => {
  const server = await startServer(database)
  const { browser } = await makeBuyer(server)
  const origin = { origin: 'https://elsewhere.example' }
  const openTo = async (path: string, method = 'GET') =>
    (await browser.fetch(server.url + path, { method, headers: origin })).headers.get('access-control-allow-origin')

  for (const { path } of [getNodeStats, getStatus, getOpenApi])
    expect([path, await openTo(path), await openTo(path, 'OPTIONS')]).toEqual([path, '*', '*'])
  expect([await openTo(listPurchases.path), await openTo(listPurchases.path, 'OPTIONS')]).toEqual([null, null])

  const asked = await browser.fetch(server.url + getOpenApi.path, { method: 'OPTIONS', headers: origin })
  expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([
    204,
    expect.stringContaining('If-None-Match'),
  ])
})

test('public figures name the request, with the id of the caller if it has one', async () => {
  const { url } = await startServer(database)
  const idOf = async (headers: Record<string, string> = {}) =>
    (await fetch(url + getNodeStats.path, { headers })).headers.get('x-request-id')

  expect(await idOf()).toMatch(/^[0-9a-f-]{36}$/)
  expect(await idOf({ 'x-request-id': 'mine-7' })).toBe('mine-7')
  expect(await idOf({ 'x-request-id': 'not acceptable' })).toMatch(/^[0-9a-f-]{36}$/)
})

test('a repeated call says so, whatever the order and form of its fields', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const { url } = sale.server
  const reserve = () =>
    buyer.browser.fetch(url + createReservation.path, post({ requestedQuantity: 2 }, { 'idempotency-key': 'a' }))
  await buyer.grantMark()

  const [first, again] = [await reserve(), await reserve()]
  expect([first, again].map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual([
    [201, null],
    [201, 'true'],
  ])

  const report = (body: string) => buyer.browser.fetch(url + createPurchase.path, post(body, { 'idempotency-key': 'b' }))
  const paid = await report('{"requestedQuantity":2,"purchaseAmountUsdt":"6"}')
  const same = await report('{"purchaseAmountUsdt":"6.00","requestedQuantity":2.0}')
  const other = await report('{"purchaseAmountUsdt":"6","requestedQuantity":3}')
  expect([paid.status, same.status, same.headers.get('idempotent-replayed'), other.status]).toEqual([201, 201, 'true', 422])
  expect(await same.json()).toEqual(await paid.json())
})

test('calls that move money refuse fields that they do not know, by name', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const send = (path: string, body: object) => buyer.browser.fetch(sale.server.url + path, post(body))

  const response = await send(createReservation.path, { requestedQuantity: 1, quantity: 2, constructor: 4, '': 3 })
  expect([response.status, await refusalOf(response)]).toEqual([
    400,
    {
      code: 'invalid_request',
      message: 'Unknown field: quantity. This call takes requestedQuantity.',
      details: { quantity: 'Unknown field.', constructor: 'Unknown field.', body: 'Unknown field.' },
    },
  ])
  expect((await send(requestWithdrawal.path, { ammount: '1' })).status).toBe(400)
  expect(await buyer.browser.call(getReservation, {})).toBeNull()
})

test('a report of a payment is never refused for an unknown field, which is named in a warning', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)

  const body = { requestedQuantity: 2, purchaseAmountUsdt: '6', 'note\r\nX-A: "': 1 }
  const response = await buyer.browser.fetch(sale.server.url + createPurchase.path, post(body))

  expect(response.status).toBe(201)
  expect(response.headers.get('warning')).toBe(
    '299 - "Unknown fields were ignored; known are requestedQuantity, purchaseAmountUsdt, transactionHash."',
  )
})

test('a refusal names each field with all that is wrong with it, in words', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const ask = async (body: unknown) => refusalOf(await buyer.browser.fetch(sale.server.url + createPurchase.path, post(body)))

  const missing = await ask({ requestedQuantity: 0.5, transactionHash: 'x' })
  expect(missing.message).toBe('Please enter a quantity.')
  expect(Object.keys(missing.details ?? {}).toSorted()).toEqual(['purchaseAmountUsdt', 'requestedQuantity', 'transactionHash'])
  const { message } = await ask({ requestedQuantity: 1, purchaseAmountUsdt: 6 })
  expect(message).toBe('purchase amount usdt: Invalid input: expected string, received number')
  expect((await ask([])).details).toEqual({ body: expect.any(String) })
  expect(z.object({ '': z.string() }).safeParse((await ask([])).details).success).toBe(false)
})
