import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { BrowserContext } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { SECOND } from '#shared/dates.ts'

/** The wallet in WalletConnect's list. */
export const walletApp = 'Phone Wallet'

const PING_INTERVAL = 10 * SECOND

interface Call {
  id: number
  method?: string
  params: { topic: string; topics: string[]; message: string; tag: number }
}

type Client = (message: object) => void

export interface Relay {
  url: string
  /** Answers the pages of a browser in place of WalletConnect's servers. */
  serve: (context: BrowserContext) => Promise<void>
}

/**
 * The relay of WalletConnect 2, which page and wallet talk through: it hands the messages of a topic to its other subscriber, or keeps them
 * until there is one.
 *
 * @see https://specs.walletconnect.com/2.0/specs/servers/relay/relay-server-rpc
 */
export async function startRelay(): Promise<Relay> {
  const topics = new Map<string, { kept: object[]; subscribers: Set<Client> }>()
  let lastId = 0

  const at = (topic: string) => {
    if (!topics.has(topic)) topics.set(topic, { kept: [], subscribers: new Set() })
    return topics.get(topic)!
  }
  const deliver = (to: Client, topic: string, data: object) =>
    to({ id: (lastId += 1), jsonrpc: '2.0', method: 'irn_subscription', params: { id: topic, data } })
  function subscribe(client: Client, topic: string): void {
    const { kept, subscribers } = at(topic)
    subscribers.add(client)
    for (const data of kept.splice(0)) deliver(client, topic, data)
  }
  function publish(from: Client, { topic, message, tag }: Call['params']): void {
    const data = { topic, message, tag, publishedAt: Date.now() }
    const others = [...at(topic).subscribers].filter((client) => client !== from)
    if (others.length === 0) at(topic).kept.push(data)
    for (const client of others) deliver(client, topic, data)
  }

  function answer(client: Client, text: string): void {
    const { id, method, params } = JSON.parse(text) as Call
    // The receipt of a delivery.
    if (!method) return
    const { topic, topics: all } = params
    const result = { irn_subscribe: topic, irn_batchSubscribe: all, irn_batchFetchMessages: { messages: [] } }[method] ?? true
    client({ id, jsonrpc: '2.0', result })
    if (method === 'irn_publish') publish(client, params)
    if (method === 'irn_subscribe') subscribe(client, topic)
    if (method === 'irn_batchSubscribe') for (const one of all) subscribe(client, one)
    if (method === 'irn_unsubscribe') at(topic).subscribers.delete(client)
  }
  const leave = (client: Client) => topics.forEach(({ subscribers }) => subscribers.delete(client))

  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  server.on('connection', (socket) => {
    const client: Client = (message) => socket.send(JSON.stringify(message))
    socket.on('message', (data) => answer(client, (data as Buffer).toString()))
    socket.on('close', () => leave(client))
  })
  // Who hears nothing for half a minute takes the relay for dead.
  const pings = setInterval(() => server.clients.forEach((socket) => socket.ping()), PING_INTERVAL)
  onTestFinished(() => {
    clearInterval(pings)
    server.clients.forEach((socket) => socket.terminate())
    server.close()
  })

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async serve(context) {
      // Also on a machine whose only network is itself.
      await context.addInitScript(() => Object.defineProperty(navigator, 'onLine', { value: true }))
      await context.routeWebSocket('wss://relay.walletconnect.com/**', (socket) => {
        const client: Client = (message) => socket.send(JSON.stringify(message))
        socket.onMessage((data) => answer(client, data.toString()))
        socket.onClose(() => leave(client))
      })
      // The list of wallets, their pictures, and the names of accounts.
      await context.route(/^https:\/\/[\w.]+\.(web3modal|walletconnect)\.org\//, (route) =>
        route.fulfill({ json: { data: [{ id: 'app', name: walletApp, mobile_link: 'phonewallet://' }], count: 1 } }),
      )
      await context.route('https://verify.walletconnect.org/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: attest(new URL(route.request().url()).searchParams.get('id')) }),
      )
    },
  }
}

/** A page that answers the one around it, which otherwise waits five seconds for who has asked. */
function attest(id: string | null): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const answer = { type: 'verify_attestation', attestation: `${encode({})}.${encode({ id })}.${encode({})}` }
  return `<script>parent.postMessage(${JSON.stringify(JSON.stringify(answer))}, '*')</script>`
}
