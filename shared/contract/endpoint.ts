import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'

/** Who may call an endpoint. Required, so that no route is public by omission. */
export type Access = 'public' | 'user' | 'admin'

export interface Endpoint {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: `/api/${string}`
  access: Access
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  response: z.ZodType
  /** Status of a success; 200 unless named. */
  status?: 201
  /** Moves nodes or XCR: the client sends an `Idempotency-Key`, and one key has one effect. */
  idempotent?: true
  /** The refusals a caller should be ready for, besides the general ones. */
  errors?: readonly ErrorCode[]
}

/** Describes one endpoint, once, for both ends. */
export const endpoint = <const E extends Endpoint>(description: E): E => description

type Part<E, Key extends string> = E extends Record<Key, infer Schema extends z.ZodType> ? Record<Key, z.output<Schema>> : unknown

/** What a caller must supply, and what a handler receives, in decoded form. */
export type Input<E extends Endpoint> = Part<E, 'params'> & Part<E, 'query'> & Part<E, 'body'>

export type Output<E extends Endpoint> = z.output<E['response']>
