import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createJsonRpc } from './createJsonRpc.ts'
import { RpcFailure, RpcRefusal } from './rpcErrors.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

async function startNode(handle: Handle): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}/with-a-key`
}

const callAt = (place: string, { timeout = 5_000, maxAnswer = 1_000, batch = 1 } = {}) =>
  createJsonRpc(`http://${place}`, { timeout, maxAnswer, batch })

const answer = (response: ServerResponse, json: object) => void response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...json }))

test('a call returns the result, including null', async () => {
  const place = await startNode(async (request, response) => {
    const { method, params } = JSON.parse(await text(request)) as { method: string; params: unknown[] }
    answer(response, { result: method === 'eth_nothing' ? null : params })
  })
  const call = callAt(place)

  expect(await call('eth_echo', ['é', 1])).toEqual(['é', 1])
  expect(await call('eth_nothing', [])).toBeNull()
})

test('an error contains its code and data, and only the host of the URL', async () => {
  const place = await startNode((_, response) => {
    response.statusCode = 403
    answer(response, { error: { code: -32_005, message: 'limit exceeded', data: '0x01' } })
  })

  const error = await callAt(`someone:secret@${place}`)('eth_getLogs', []).catch((reason: unknown) => reason)

  expect(error).toBeInstanceOf(RpcRefusal)
  expect(error).toMatchObject({ code: -32_005, data: '0x01', message: `${place.split('/')[0]} eth_getLogs: limit exceeded` })
})

test('a missing, malformed, late or too large response is a failure', async () => {
  const failing = async (handle: Handle, options = {}) =>
    callAt(await startNode(handle), options)('eth_chainId', []).catch((error: unknown) =>
      error instanceof RpcFailure ? error.message.replace(/^\S+ /, '') : error,
    )

  expect(await failing((request) => void request.socket.destroy())).toBe('did not answer')
  expect(await failing((_, response) => void response.end('<html>'))).toBe('eth_chainId: answered 200')
  expect(await failing(() => {}, { timeout: 50 })).toBe('took too long')
  expect(await failing((_, response) => answer(response, { result: 'x'.repeat(2_000) }))).toBe('answered too much')
})

test('username and password of the URL are sent as basic authentication', async () => {
  const place = await startNode((request, response) => answer(response, { result: request.headers.authorization }))

  expect(await callAt(`someone:sec%20ret@${place}`)('eth_chainId', [])).toBe(`Basic ${btoa('someone:sec ret')}`)
})

test('a keep-alive connection closed by the node is not a failure', async () => {
  const place = await startNode((request, response) => {
    answer(response, { result: 1 })
    // Closed as soon as it is idle, without a `connection: close` header.
    response.on('finish', () => request.socket.resetAndDestroy())
  })
  const call = callAt(place)

  expect(await call('eth_chainId', [])).toBe(1)
  expect(await call('eth_chainId', [])).toBe(1)
})

test('a request that timed out is not sent again', async () => {
  let asked = 0
  const place = await startNode((_, response) => {
    asked += 1
    if (asked === 1) answer(response, { result: 'first' })
  })
  // Long enough for a busy machine to deliver the requests.
  const call = callAt(place, { timeout: 500 })
  // Leaves a connection that the next request reuses.
  expect(await call('eth_chainId', [])).toBe('first')
  await expect(call('eth_sendRawTransaction', [])).rejects.toThrow('took too long')
  await expect(call('eth_chainId', [])).rejects.toThrow('took too long')
  expect(asked).toBe(3)
})

interface Question {
  id: number
  method: string
}

test('concurrent calls are batched, and each gets its own result or error', async () => {
  const sizes: number[] = []
  const place = await startNode(async (request, response) => {
    const questions = JSON.parse(await text(request)) as Question[]
    sizes.push(questions.length)
    const answers = questions.map(({ id, method }) =>
      method === 'eth_no' ? { id, error: { code: -32_000, message: 'no' } } : { id, result: method },
    )
    // In reverse order, and one is missing.
    response.end(JSON.stringify(answers.toReversed().filter((each) => !('result' in each && each.result === 'eth_lost'))))
  })
  const call = callAt(place, { batch: 3 })

  const outcomes = await Promise.allSettled(['eth_a', 'eth_no', 'eth_b', 'eth_lost', 'eth_c'].map((method) => call(method, [])))

  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error).name))).toEqual([
    'eth_a',
    'RpcRefusal',
    'eth_b',
    'RpcFailure',
    'eth_c',
  ])
  expect(sizes).toEqual([3, 2])
})

test('after a node rejects a batch, requests are sent one by one', async () => {
  let refused = 0
  const place = await startNode(async (request, response) => {
    const asked = JSON.parse(await text(request)) as Question | Question[]
    if (!Array.isArray(asked)) return answer(response, { id: asked.id, result: asked.method })
    refused += 1
    answer(response, { id: null, error: { code: -32_600, message: 'batches are not supported' } })
  })
  const call = callAt(place, { batch: 16 })
  const both = () => Promise.all([call('eth_a', []), call('eth_b', [])])

  expect(await both()).toEqual(['eth_a', 'eth_b'])
  expect(await both()).toEqual(['eth_a', 'eth_b'])
  expect(refused).toBe(1)
})

test('a batch that is not answered fails all its calls', async () => {
  const place = await startNode((request) => void request.socket.destroy())
  const call = callAt(place, { batch: 16 })

  const outcomes = await Promise.allSettled([call('eth_a', []), call('eth_b', [])])

  expect(outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as Error).name)).toEqual([
    'RpcFailure',
    'RpcFailure',
  ])
})
