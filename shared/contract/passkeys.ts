import { z } from 'zod'
import { instant } from '../wire/instant.ts'
import { endpoint } from './endpoint.ts'
import { rowId } from './rowId.ts'

/** Bytes in base64url, as browsers write them. */
const bytes = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[\w-]+$/)

/** A credential id has at most 1,023 bytes. */
const credentialId = bytes(1_364)
const descriptor = z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()) })

/** What `navigator.credentials.create` takes, as JSON. */
export const creationOptions = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.object({
    residentKey: z.enum(['required', 'preferred', 'discouraged']),
    requireResidentKey: z.boolean(),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
})
export type CreationOptions = z.output<typeof creationOptions>

/** What `navigator.credentials.get` takes, as JSON. */
export const requestOptions = z.object({
  rpId: z.string(),
  challenge: z.string(),
  timeout: z.int(),
  userVerification: z.literal('required'),
  /** Absent where the passkey tells who logs in. */
  allowCredentials: z.array(descriptor).exactOptional(),
})
export type RequestOptions = z.output<typeof requestOptions>

/** A new passkey, as browsers write it. What they say besides is ignored. */
export const newPasskey = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: bytes(4_000),
    attestationObject: bytes(16_000),
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
})
export type NewPasskey = z.output<typeof newPasskey>

/** A passkey's signature, as browsers write it. */
export const passkeyAnswer = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: bytes(4_000),
    authenticatorData: bytes(4_000),
    signature: bytes(8_000),
    userHandle: bytes(100).optional(),
  }),
})
export type PasskeyAnswer = z.output<typeof passkeyAnswer>

export const passkeyName = z.string().trim().max(60)

export const passkey = z.object({
  id: z.uuid(),
  name: z.string(),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  /** Whether its owner's devices share it. */
  isSynced: z.boolean(),
  /** Somebody has a copy of it, so it is refused. */
  isDisabled: z.boolean(),
})
export type Passkey = z.output<typeof passkey>

export const listPasskeys = endpoint({
  method: 'GET',
  path: '/api/auth/passkeys',
  access: 'user',
  limit: 'none',
  response: z.array(passkey),
})

/** Begins to add a passkey. Uses up a step-up mark if the authenticator is enabled; otherwise it needs the password. */
export const beginPasskey = endpoint({
  method: 'POST',
  path: '/api/auth/passkeys/options',
  access: 'user',
  limit: 'otp',
  body: z.object({ password: z.string().min(1).max(256).optional() }),
  response: creationOptions,
  errors: ['account_frozen', 'proof_required', 'invalid_credentials', 'otp_required', 'passkeys_too_many', 'busy'],
})

/** Adds the passkey within five minutes. Without a name it is called after the browser. */
export const addPasskey = endpoint({
  method: 'POST',
  path: '/api/auth/passkeys',
  access: 'user',
  limit: 'otp',
  body: z.object({ name: passkeyName, passkey: newPasskey }),
  response: passkey,
  errors: ['account_frozen', 'passkey_expired', 'passkey_invalid', 'passkey_taken', 'passkeys_too_many'],
})

/** Needs no code, so that an owner in a hurry cannot fail at one. Ends the other sessions of the account. */
export const removePasskey = endpoint({
  method: 'DELETE',
  path: '/api/auth/passkeys/:id',
  access: 'user',
  limit: 'none',
  params: z.object({ id: rowId }),
  response: z.object({ message: z.string() }),
})

/** The same for everyone, whether or not there is an account. */
export const beginPasskeyLogin = endpoint({
  method: 'POST',
  path: '/api/login/passkey/options',
  access: 'public',
  limit: 'login_ip',
  response: requestOptions,
})

/** Logs in like a password, and permits nothing more: purchases and withdrawals need the authenticator's code. */
export const loginByPasskey = endpoint({
  method: 'POST',
  path: '/api/login/passkey',
  access: 'public',
  limit: 'login_ip',
  body: z.object({ passkey: passkeyAnswer }),
  response: z.object({ email: z.string() }),
  errors: ['passkey_expired', 'passkey_invalid', 'passkey_unknown', 'passkey_disabled'],
})
