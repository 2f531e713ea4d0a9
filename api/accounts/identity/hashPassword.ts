import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { DomainError } from '#api/platform/errors.ts'

const derive = promisify(argon2)

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. About 20 ms of one core. */
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const HASH_BYTES = 32

/** Limits concurrent hashes, so that logins leave CPU time for purchases. */
const MAX_CONCURRENT_HASHES = 2
const MAX_WAITING = 32
/** Further places for browsers that the account knows, which strangers cannot fill. */
const MAX_KNOWN_WAITING = 16

let running = 0
const waiting: (() => void)[] = []

/** Hashes a password with argon2id, as a PHC string. @throws 503 while too many hashes are queued. */
export async function hashPassword(password: string, { isKnownDevice = false } = {}): Promise<string> {
  const salt = randomBytes(16)
  const derivation = { password, salt, memory: MEMORY_KIB, passes: PASSES, lanes: LANES, bytes: HASH_BYTES }
  const hash = await deriveHash(derivation, isKnownDevice)
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encode(salt)}$${encode(hash)}`
}

/**
 * Verifies a password against a hash. Without a hash it does the same work and returns false, so that the response time does not
 * reveal whether an account exists.
 */
export async function verifyPassword(
  password: string,
  phc: string | undefined,
  { isKnownDevice = false } = {},
): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/-]+)\$([\w+/-]+)$/.exec(phc ?? DUMMY)
  if (!match) throw new Error('This is no argon2id hash.')
  const [, memory, passes, lanes, salt, hash] = match as unknown as [string, string, string, string, string, string]
  const expected = Buffer.from(hash, 'base64')
  const derivation = {
    password,
    salt: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    bytes: expected.length,
  }
  const actual = await deriveHash(derivation, isKnownDevice)
  return timingSafeEqual(actual, expected) && phc !== undefined
}

/** PHC strings contain base64 without padding. */
const encode = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const DUMMY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encode(Buffer.alloc(16))}$${encode(Buffer.alloc(HASH_BYTES))}`

interface Derivation {
  password: string
  salt: Buffer
  memory: number
  passes: number
  lanes: number
  bytes: number
}

async function deriveHash({ password, salt, memory, passes, lanes, bytes }: Derivation, isKnownDevice: boolean): Promise<Buffer> {
  await enter(MAX_WAITING + (isKnownDevice ? MAX_KNOWN_WAITING : 0))
  try {
    // Keyboards encode the same letter differently; NFKC makes the forms equal.
    const message = password.normalize('NFKC')
    return await derive('argon2id', { message, nonce: salt, memory, passes, parallelism: lanes, tagLength: bytes })
  } finally {
    leave()
  }
}

async function enter(places: number): Promise<void> {
  if (running < MAX_CONCURRENT_HASHES) {
    running += 1
    return
  }
  if (waiting.length >= places) {
    throw new DomainError('busy', 'Many people are logging in right now. Please try again in a moment.', {
      status: 503,
      retryAfter: 2,
    })
  }
  await new Promise<void>((resolve) => waiting.push(resolve))
}

/** Passes the place to the next in the queue, which keeps the order. */
function leave(): void {
  const next = waiting.shift()
  if (next) next()
  else running -= 1
}
