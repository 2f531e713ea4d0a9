import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { onCleanup } from '#api/testing/onCleanup.ts'
import { type Dialling, guardedPost } from './guardedPost.ts'
import { isPublicAddress } from './isPublicAddress.ts'
import { isPushEndpoint } from './isPushEndpoint.ts'

const hosts = ['push.example.com', '*.push.example.net']
const PUBLIC = '93.184.215.14'

/** A dialler that connects to a local server and records the dialled addresses. */
async function setUp(server: Server, ...resolved: string[][]) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onCleanup(async () => void server.close())
  const { port } = server.address() as AddressInfo
  const dialled: string[] = []
  const dialling: Dialling = {
    resolve: async () => (resolved.length > 1 ? resolved.shift()! : resolved[0]!).map((address) => ({ address })),
    dial(address) {
      dialled.push(address)
      return connect(port, '127.0.0.1')
    },
  }
  const post = (url = 'https://push.example.com/send/1', timeout = 10_000) =>
    guardedPost({ url, headers: { topic: 'a' }, body: Buffer.from('hello') }, { hosts, dialling, timeout })
  return { post, dialled }
}

const answering = (listener: RequestListener) => createServer(listener)

/** Kinds of addresses that are not the public internet. */
const otherAddresses = {
  'IPv4: this network, private, shared (CGNAT), loopback, link-local and metadata, protocol, documentation, 6to4 relay, benchmark':
    [
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '10.255.255.255',
      '100.64.0.1',
      '100.127.255.255',
      '127.0.0.1',
      '127.255.255.255',
      '169.254.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.1',
      '192.0.0.192',
      '192.0.2.1',
      '192.88.99.1',
      '192.168.0.1',
      '198.18.0.1',
      '198.19.255.255',
      '198.51.100.1',
      '203.0.113.1',
    ],
  'multicast, reserved, broadcast': ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  'IPv6: unspecified, loopback, mapped, compatible, NAT64, discard, Teredo, ORCHID, documentation, 6to4, SRv6': [
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:93.184.215.14',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::5db8:d70e',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:4136:e378::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '3fff::1',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    '5f00::1',
  ],
  'unique local, link-local, with a zone, site-local, multicast': [
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    'fec0::1',
    'ff02::1',
  ],
  'none at all': ['', 'localhost', '127.1', '2130706433', '0x7f000001', '[::1]', '93.184.215.14:443'],
}

test.each(Object.values(otherAddresses).flat())('%s is no address of the public internet', async (address) => {
  expect(isPublicAddress(address)).toBe(false)
  const { post, dialled } = await setUp(
    answering((_, response) => void response.end()),
    [address],
  )
  await expect(post()).rejects.toMatchObject({ name: 'RefusedUrl' })
  expect(dialled).toEqual([])
})

test.each([PUBLIC, '1.1.1.1', '100.63.255.255', '172.32.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450:4001:81b::200a'])(
  '%s is a public address',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test.each([
  ['another scheme', 'http://push.example.com/'],
  ['another port', 'https://push.example.com:8443/'],
  ['a user', 'https://user@push.example.com/'],
  ['a password', 'https://:secret@push.example.com/'],
  ['another host', 'https://example.com/'],
  ['a host that ends alike', 'https://evilpush.example.com/'],
  ['a host before which more is named', 'https://push.example.com.evil.example/'],
  ['a user that looks like the host', 'https://push.example.com@evil.example/'],
  ['a backslash', 'https://evil.example\\@push.example.com/'],
  ['a subdomain of a single host', 'https://a.push.example.com/'],
  ['the bare domain of a wildcard', 'https://push.example.net/'],
  ['a dot after the host', 'https://push.example.com./'],
  ['an address', 'https://93.184.215.14/'],
  ['an address of IPv6', 'https://[::1]/'],
  ['this machine', 'https://localhost/'],
  ['a file', 'file:///etc/passwd'],
  ['no URL', 'push.example.com'],
])('nothing is sent to %s', async (_, url) => {
  expect(isPushEndpoint(url, hosts)).toBe(false)
  const { post, dialled } = await setUp(
    answering((_request, response) => void response.end()),
    [PUBLIC],
  )
  await expect(post(url)).rejects.toMatchObject({ name: 'RefusedUrl' })
  expect(dialled).toEqual([])
})

test('a request is sent to a public address of a known host, and its status and headers come back', async () => {
  const seen: unknown[] = []
  const server = answering((request, response) => {
    const { host, topic } = request.headers
    seen.push([request.method, request.url, host, topic])
    response.writeHead(429, { 'retry-after': '7' }).end()
  })
  const { post, dialled } = await setUp(server, ['10.0.0.1', '2606:4700::1111', PUBLIC])
  expect(await post('https://web.push.example.net/send/1')).toMatchObject({ status: 429, headers: { 'retry-after': '7' } })
  expect(seen).toEqual([['POST', '/send/1', 'web.push.example.net', 'a']])
  expect(dialled, 'the first public one').toEqual(['2606:4700::1111'])
})

test('a host that is public first and private at the next request is not reached there', async () => {
  const { post, dialled } = await setUp(
    answering((_, response) => void response.end()),
    [PUBLIC],
    ['127.0.0.1'],
  )
  await post()
  await expect(post()).rejects.toMatchObject({ name: 'RefusedUrl' })
  expect(dialled, 'the address that was checked is the one that is dialled').toEqual([PUBLIC])
})

test('a redirect is an answer like any other', async () => {
  let requests = 0
  const server = answering((_, response) => {
    requests += 1
    response.writeHead(307, { location: 'https://169.254.169.254/latest/meta-data' }).end()
  })
  const { post, dialled } = await setUp(server, [PUBLIC])
  expect(await post()).toMatchObject({ status: 307 })
  expect([requests, dialled]).toEqual([1, [PUBLIC]])
})

test('an endless answer is not read', async () => {
  let closed: Promise<unknown> = Promise.resolve()
  const server = answering((_, response) => {
    closed = once(response, 'close')
    const write = () => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', write)
    }
    write()
  })
  const { post } = await setUp(server, [PUBLIC])
  expect(await post()).toMatchObject({ status: 200 })
  await closed
})

test('an answer with too many headers is refused', async () => {
  const { post } = await setUp(
    answering((_, response) => void response.writeHead(200, { a: 'x'.repeat(20_000) }).end()),
    [PUBLIC],
  )
  await expect(post()).rejects.toThrow(/Header overflow/)
})

test('a server that never answers, and a resolver that never does, are given up', async () => {
  const silent = createTcpServer((socket) => void socket.on('error', () => undefined).resume())
  const { post } = await setUp(silent, [PUBLIC])
  await expect(post(undefined, 50)).rejects.toMatchObject({ name: 'AbortError' })
  const dialling: Dialling = { resolve: () => new Promise(() => undefined), dial: () => connect(9) }
  const asking = guardedPost(
    { url: 'https://push.example.com/', headers: {}, body: Buffer.alloc(0) },
    { hosts, dialling, timeout: 50 },
  )
  await expect(asking).rejects.toMatchObject({ name: 'TimeoutError' })
})
