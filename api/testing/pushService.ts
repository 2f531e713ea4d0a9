import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  verify,
} from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { DAY, SECOND } from '#shared/dates.ts'
import type { Dialling } from '#api/platform/push/guardedPost.ts'
import { onCleanup } from './onCleanup.ts'

/** The host of the test's push service. It resolves to a public address, and the dialler connects to this machine. */
export const PUSH_HOST = 'push.example.com'
const PUBLIC_ADDRESS = '93.184.215.14'

export interface ReceivedPush {
  endpoint: string
  /** Decrypted. */
  message: {
    web_push: number
    app_badge: number
    notification: { title: string; body?: string; lang: string; navigate: string; tag: string; app_badge: string }
  }
  ttl: number
  topic: string | undefined
  urgency: string | undefined
}

interface Answer {
  status: number
  headers?: Record<string, string>
  /** Runs before the answer is sent. */
  meanwhile?: () => unknown
}

/** A browser as its push service knows it. */
export interface TestSubscription {
  endpoint: string
  p256dh: string
  auth: string
}

interface Browser {
  pair: ECDH
  auth: Buffer
}

export interface PushService {
  dialling: Dialling
  /** All messages with a valid signature that were accepted or refused, in order. */
  received: ReceivedPush[]
  /** Requests that no push service accepts, with the reason. */
  faults: string[]
  subscribe(): TestSubscription
  /** The next answers; 201 after them. */
  answer(...answers: Answer[]): void
}

/** A push service that verifies VAPID (RFC 8292) and decrypts messages (RFC 8188 and 8291) with code of its own. */
export async function startPushService({ publicKey }: { publicKey: string }): Promise<PushService> {
  const browsers = new Map<string, Browser>()
  const received: ReceivedPush[] = []
  const faults: string[] = []
  const answers: Answer[] = []

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const endpoint = `https://${request.headers.host}${request.url}`
    const browser = browsers.get(endpoint)
    const body = Buffer.concat(chunks)
    try {
      if (request.method !== 'POST' || !browser) throw new Error(`${request.method} ${endpoint}`)
      if (body.length > 4_096) throw new Error(`${body.length} bytes`)
      if (request.headers['content-encoding'] !== 'aes128gcm') throw new Error('not aes128gcm')
      checkVapid(request.headers.authorization ?? '', publicKey)
      received.push({
        endpoint,
        message: JSON.parse(decrypt(body, browser)) as ReceivedPush['message'],
        ttl: Number(request.headers.ttl),
        topic: request.headers.topic as string | undefined,
        urgency: request.headers.urgency as string | undefined,
      })
    } catch (error) {
      faults.push(String(error))
    }
    const { status, headers, meanwhile } = answers.shift() ?? { status: 201 }
    await meanwhile?.()
    response.writeHead(status, headers).end('x'.repeat(100_000))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onCleanup(async () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    dialling: { resolve: async () => [{ address: PUBLIC_ADDRESS }], dial: () => connect(port, '127.0.0.1') },
    received,
    faults,
    answer: (...more) => void answers.push(...more),
    subscribe() {
      const pair = createECDH('prime256v1')
      pair.generateKeys()
      const auth = randomBytes(16)
      const endpoint = `https://${PUSH_HOST}/send/${randomUUID()}`
      browsers.set(endpoint, { pair, auth })
      return { endpoint, p256dh: pair.getPublicKey('base64url'), auth: auth.toString('base64url') }
    },
  }
}

function checkVapid(authorization: string, publicKey: string): void {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? []
  if (key !== publicKey) throw new Error(`another key: ${authorization}`)
  const [header = '', claims = '', signature = ''] = token.split('.')
  const signed = Buffer.from(`${header}.${claims}`)
  const isSigned = verify('sha256', signed, { key: keyOf(key), dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
  if (!isSigned) throw new Error('a wrong signature')
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string; exp: number; sub: string }
  const left = exp * SECOND - Date.now()
  if (aud !== `https://${PUSH_HOST}` || left <= 0 || left > DAY || !/^(mailto:|https:)/.test(sub))
    throw new Error(`claims: ${claims}`)
}

function keyOf(publicKey: string): KeyObject {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url')) as [string, string]
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
}

function decrypt(body: Buffer, { pair, auth }: Browser): string {
  const salt = body.subarray(0, 16)
  const senderKey = body.subarray(21, 21 + body[20]!)
  const sealed = body.subarray(21 + body[20]!)
  const hkdf = (key: Buffer, withSalt: Buffer, info: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, withSalt, info, length))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), senderKey])
  const secret = hkdf(pair.computeSecret(senderKey), auth, info, 32)
  const key = hkdf(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = hkdf(secret, salt, 'Content-Encoding: nonce\0', 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  return padded.subarray(0, end).toString()
}
