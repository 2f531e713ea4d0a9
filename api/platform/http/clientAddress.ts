import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import proxyAddr from 'proxy-addr'

/**
 * Normalizes an IP address: IPv4-mapped IPv6 becomes IPv4, the IPv6 loopback becomes the IPv4 loopback. Undefined for an invalid
 * address.
 */
export function normaliseIp(text: string): string | undefined {
  // The zone index after % is only meaningful on one machine.
  const address = text.trim().toLowerCase().replace(/%.*$/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  // The URL parser formats IPv6 addresses in their shortest form.
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1)
  if (shortest === '::1') return '127.0.0.1'
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(shortest) ?? []
  if (high === undefined || low === undefined) return shortest
  const bytes = Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex')
  return bytes.join('.')
}

export const isLoopback = (address: string): boolean => address.startsWith('127.')

/**
 * The unit of rate limiting: an IPv4 address, or the /64 network of an IPv6 address, because one client usually controls all
 * addresses of it. A site, such as a company or a home, may have all networks of a /48. Expects a normalized address.
 */
export function networkOf(address: string, bits: 48 | 64 = 64): string {
  if (!address.includes(':')) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail]
  return `${groups.slice(0, bits / 16).join(':')}::/${bits}`
}

/** The client's address. Forwarded-for headers count only for the configured number of trusted proxies, from the right. */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const address = proxyAddr(request, (_address, hop) => hop < trustedProxies)
  // Some proxies append the port.
  const [, bare = address] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address) ?? /^\[([^\]]+)\](?::\d+)?$/.exec(address) ?? []
  return normaliseIp(bare) ?? 'unknown'
}
