import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import proxyAddr from 'proxy-addr'

/** One form for one address: IPv4-mapped IPv6 becomes IPv4, the loopback of IPv6 that of IPv4. Undefined if it is no address. */
export function normaliseIp(text: string): string | undefined {
  // The zone behind a % names a network card of one machine.
  const address = text.trim().toLowerCase().replace(/%.*$/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  // The URL parser writes every IPv6 address in its shortest form.
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1)
  if (shortest === '::1') return '127.0.0.1'
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(shortest) ?? []
  if (high === undefined || low === undefined) return shortest
  const bytes = Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex')
  return bytes.join('.')
}

export const isLoopback = (address: string): boolean => address.startsWith('127.')

/**
 * What is counted as one caller: of IPv6 the network of 64 bits, because whoever has one address has all of them, and a new one for each
 * call. The address is normalised.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Who is calling. Forwarded-for headers count only from the configured number of trusted proxies, from the right. */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const address = proxyAddr(request, (_address, hop) => hop < trustedProxies)
  // Some proxies add the port.
  const [, bare = address] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address) ?? /^\[([^\]]+)\](?::\d+)?$/.exec(address) ?? []
  return normaliseIp(bare) ?? 'unknown'
}
