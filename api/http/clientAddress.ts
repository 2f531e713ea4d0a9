import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import proxyAddr from 'proxy-addr'

/** One form for one address: IPv4-mapped IPv6 becomes IPv4, the loopback of IPv6 that of IPv4. Undefined if it is no address. */
export function normaliseIp(text: string): string | undefined {
  const address = text.trim().toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1]
  if (mapped && isIPv4(mapped)) return mapped
  if (address === '::1' || address === '0:0:0:0:0:0:0:1') return '127.0.0.1'
  if (isIPv4(address)) return address
  // The URL parser writes every IPv6 address in its shortest form.
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : undefined
}

export const isLoopback = (address: string): boolean => address.startsWith('127.')

/** Who is calling. Forwarded-for headers count only from the configured number of trusted proxies, from the right. */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const address = proxyAddr(request, (_address, hop) => hop < trustedProxies)
  return normaliseIp(address) ?? address
}
