import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { CreationOptions, NewPasskey, PasskeyAnswer, RequestOptions } from '#shared/contract/passkeys.ts'

/** What `testConfig` expects. */
const ORIGIN = 'http://localhost:3000'

/** What a manipulated browser or authenticator does differently. */
export interface Deviation {
  origin?: string
  rpId?: string
  challenge?: string
  /** False: nobody entered a PIN or showed a finger. */
  isVerified?: boolean
  /** By default one more than before; 0 as for synced passkeys. */
  counter?: number
  /** Signs with another key. */
  isForged?: boolean
  isInFrame?: boolean
  userHandle?: string
}

export interface SoftPasskey {
  /** The answer to the registration. */
  created: NewPasskey
  /** Signs a challenge. */
  sign(options: RequestOptions, deviation?: Deviation): PasskeyAnswer
}

/** Creates a passkey as an authenticator with ES256 would. */
export function createPasskey(options: CreationOptions, deviation: Deviation = {}): SoftPasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string }
  const id = randomBytes(32)
  let counter = deviation.counter ?? 1
  // EC2, ES256, P-256.
  const key = new Map<number, Cbor>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ])
  const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(key)])
  const authData = Buffer.concat([authenticatorData({ rpId: options.rp.id, counter, ...deviation }, HAS_CREDENTIAL), credential])
  const attestation = new Map<string, Cbor>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  const named = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' } as const
  return {
    created: {
      ...named,
      response: {
        clientDataJSON: clientData('webauthn.create', options.challenge, deviation).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      },
    },
    sign(request, signing = {}) {
      counter = signing.counter ?? counter + 1
      const data = clientData('webauthn.get', request.challenge, signing)
      const authData = authenticatorData({ rpId: request.rpId, counter, ...signing })
      const key = signing.isForged ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : privateKey
      return {
        ...named,
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signed(key, Buffer.concat([authData, createHash('sha256').update(data).digest()])),
          userHandle: signing.userHandle ?? options.user.id,
        },
      }
    },
  }
}

const signed = (key: KeyObject, data: Buffer): string => sign('sha256', data, key).toString('base64url')

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url')

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

function authenticatorData(
  { rpId, counter, isVerified = true }: { rpId: string; counter: number; isVerified?: boolean },
  flags = 0,
): Buffer {
  const data = Buffer.alloc(37)
  createHash('sha256').update(rpId).digest().copy(data)
  data[32] = USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | flags
  data.writeUInt32BE(counter, 33)
  return data
}

const clientData = (type: string, challenge: string, { origin = ORIGIN, isInFrame = false, ...other }: Deviation): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge: other.challenge ?? challenge, origin, crossOrigin: isInFrame }))

type Cbor = number | string | Buffer | Map<number | string, Cbor>

/** The part of CBOR that authenticators use: small integers, texts, bytes, maps. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

/** The major type and a number below 65,536. */
function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count])
  if (count < 256) return Buffer.from([(major << 5) | 24, count])
  return Buffer.from([(major << 5) | 25, count >> 8, count & 255])
}
