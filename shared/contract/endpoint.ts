import type { z } from 'zod'
import { type AdminRole, adminRoles } from '../adminRoles.ts'
import type { ErrorCode } from '../errors.ts'

/** Who may call an endpoint. Required, so that no route is public by omission. */
export type Access = 'public' | 'user' | 'admin'

/**
 * The rate limit of an endpoint. Those per network address end in `_ip`, the others are per account. `failures`: every call is answered,
 * and the tries that fail are counted. `none`: a call costs little and shows nothing that could be guessed. Required, so that no limit
 * is forgotten.
 */
export type Limit =
  | 'admin_login_ip'
  | 'announcement'
  | 'captcha_ip'
  | 'codes_sent_ip'
  | 'demo_ip'
  | 'export'
  | 'failures'
  | 'freeze_ip'
  | 'freeze_link_ip'
  | 'incident'
  | 'login_ip'
  | 'none'
  | 'otp'
  | 'password_change'
  | 'purchase'
  | 'register_ip'
  | 'reset_ip'
  | 'search'
  | 'setup_ip'
  | 'wallet'
  | 'withdrawal'

interface Described {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: `/api/${string}`
  limit: Limit
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  response: z.ZodType
  /** Status of a success; 200 by default. */
  status?: 201
  /** Moves nodes or XCR, or tells everybody something: the client sends an `Idempotency-Key`, and one key has one effect. */
  idempotent?: true
  /**
   * Idempotent endpoints refuse fields that they do not know, since a misspelled one would be ignored. With `warned` they only name them
   * in the answer's `Warning`.
   */
  unknownFields?: 'warned'
  /** The endpoint's own error codes, besides the general ones. */
  errors?: readonly ErrorCode[]
}

/** Calls of the back office name the roles that may make them besides owners. Required, so that none is open to all by omission. */
export type Endpoint = Described &
  (
    | { access: Exclude<Access, 'admin'>; roles?: undefined; approvers?: undefined }
    | {
        access: 'admin'
        roles: readonly AdminRole[]
        /**
         * The roles, besides owners, of which another administrator approves the call where it needs a second person. It then answers 202
         * with the proposal, and the client throws `Proposed`. Absent if it never does.
         */
        approvers?: readonly AdminRole[]
      }
  )

/** The roles of calls that show something, or that concern only the caller. */
export const everyRole = adminRoles

/** Describes one endpoint for both client and server. */
export const endpoint = <const E extends Endpoint>(description: E): E => description

type Part<E, Key extends string> = E extends Record<Key, infer Schema extends z.ZodType> ? Record<Key, z.output<Schema>> : unknown

/** The input as a caller passes it and a handler receives it, decoded. */
export type Input<E extends Endpoint> = Part<E, 'params'> & Part<E, 'query'> & Part<E, 'body'>

export type Output<E extends Endpoint> = z.output<E['response']>
