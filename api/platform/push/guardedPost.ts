import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Socket } from 'node:net'
import { connect } from 'node:tls'
import { isPublicAddress } from './isPublicAddress.ts'
import { isPushEndpoint } from './isPushEndpoint.ts'

/** How hosts are resolved and connected. Replaced in tests only. */
export interface Dialling {
  resolve(host: string): Promise<readonly Pick<LookupAddress, 'address'>[]>
  /** Connects to the address; the certificate must be the host's. */
  dial(address: string, host: string): Socket
}

const internet: Dialling = {
  resolve: (host) => lookup(host, { all: true }),
  dial: (host, servername) => connect({ host, port: 443, servername, ALPNProtocols: ['http/1.1'] }),
}

/** Thrown for a URL to which nothing is sent. */
export class RefusedUrl extends Error {
  override name = 'RefusedUrl'
}

/** For everything: resolving, connecting, sending and the answer's head. */
const REQUEST_TIMEOUT = 10_000
/** Of the answer's head. Its body is not read. */
const MAX_HEADER_BYTES = 16 * 1024

interface Post {
  url: string
  headers: Record<string, string>
  body: Buffer
}

export interface PostAnswer {
  status: number
  headers: IncomingMessage['headers']
}

interface GuardOptions {
  /** See `isPushEndpoint`. */
  hosts: readonly string[]
  dialling?: Dialling
  timeout?: number
}

/**
 * Sends a request to a URL that a client has named. It connects to the very address that it has checked, so a host that resolves to
 * another address a moment later gains nothing. Redirects are not followed.
 *
 * @throws {RefusedUrl} if the URL is not one of `hosts`, or its host has no public address.
 */
export async function guardedPost(
  { url, headers, body }: Post,
  { hosts, dialling = internet, timeout = REQUEST_TIMEOUT }: GuardOptions,
): Promise<PostAnswer> {
  if (!isPushEndpoint(url, hosts)) throw new RefusedUrl('This is no URL of a known push service.')
  const { hostname } = new URL(url)
  const signal = AbortSignal.timeout(timeout)
  const addresses = await Promise.race([dialling.resolve(hostname), rejectOn(signal)])
  const address = addresses.find((found) => isPublicAddress(found.address))?.address
  if (!address) throw new RefusedUrl(`${hostname} has no public address.`)
  const outgoing = request(url, {
    method: 'POST',
    headers,
    // Both, because there is no agent to know them: the Host header names a port that is not the default one.
    port: 443,
    defaultPort: 443,
    signal,
    maxHeaderSize: MAX_HEADER_BYTES,
    createConnection: () => dialling.dial(address, hostname),
  })
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  // The status and its headers say everything.
  answer.destroy()
  return { status: answer.statusCode!, headers: answer.headers }
}

async function rejectOn(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort')
  throw signal.reason
}
