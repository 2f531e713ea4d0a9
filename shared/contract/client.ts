import { z } from 'zod'
import { type ErrorBody, errorBody } from '../errors.ts'
import type { Endpoint, Input, Output } from './endpoint.ts'

/**
 * A response that was not OK. `message` is the generic text of the error catalogue (`401: {"message":"Unauthorized"}`); show
 * `serverMessage` to users.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  /** A code that a newer server has added is kept as a plain string. */
  readonly code: ErrorBody['code'] | undefined
  readonly serverMessage: string | undefined
  readonly details: Record<string, string>
  /** What speaks against an administrator's decision, who may set it aside by naming it. */
  readonly objections: NonNullable<ErrorBody['objections']>
  /** Whether the call was one that changes something. */
  readonly isWrite: boolean

  constructor(status: number, bodyText: string, statusText = '', isWrite = false) {
    super(`${status}: ${bodyText || statusText}`)
    this.status = status
    this.isWrite = isWrite
    const body = errorBody.partial().safeParse(parseJson(bodyText)).data
    this.code = body?.code
    this.serverMessage = body?.message
    this.details = body?.details ?? {}
    this.objections = body?.objections ?? []
  }
}

/** The call did not leave this device: it has had no effect. */
export class NotSent extends TypeError {
  override name = 'NotSent'
}

/** No answer to a call that changes something arrived, or not before its signal timed out: it may have had its effect. */
export class AnswerLost extends TypeError {
  override name = 'AnswerLost'
}

/** Whether the API itself refused a call. An answer without a code is a proxy's, or a network's login page, and tells nothing of the call. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code !== undefined && error.status < 500

/** Whether a call that failed may have had its effect anyway, because the API did not refuse it. */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof AnswerLost || (error instanceof ApiError && error.isWrite && !isRefusal(error))

/** The call has no effect yet: it answered 202, because another administrator has to approve it. */
export class Proposed extends Error {
  override name = 'Proposed'
  readonly proposal: { id: string }

  constructor(bodyText: string) {
    const { message, proposal } = parseJson(bodyText) as { message: string; proposal: { id: string } }
    super(message)
    this.proposal = proposal
  }
}

export { isUnauthorized } from '../isUnauthorized.ts'

export interface ClientOptions {
  baseUrl: string
  /** Sent with every call. */
  headers?: Record<string, string>
  /** Replaces the global `fetch`, for example to keep cookies. */
  fetch?: typeof fetch
}

export interface CallOptions {
  /** Kept by the caller across retries of one intention. Generated per call by default. */
  idempotencyKey?: string
  signal?: AbortSignal
  headers?: Record<string, string>
}

export type Client = <E extends Endpoint>(endpoint: E, input: Input<E>, options?: CallOptions) => Promise<Output<E>>

/**
 * A typed client for the endpoints of this folder. Used by the PWA and by the API's tests.
 *
 * Throws ApiError when the API refuses, Proposed when another administrator has to approve the call, TypeError when the API cannot be
 * reached: AnswerLost if the call may have had its effect.
 */
export function createClient({ baseUrl, headers, fetch: send = fetch }: ClientOptions): Client {
  return async (endpoint, input, options = {}) => {
    const { params, query, body } = input as Record<'params' | 'query' | 'body', object | undefined>
    const isWrite = endpoint.method !== 'GET'
    const request: RequestInit = {
      method: endpoint.method,
      credentials: 'include',
      headers: {
        ...headers,
        ...options.headers,
        ...(body && { 'content-type': 'application/json' }),
        ...(endpoint.idempotent && { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() }),
      },
      ...(body && { body: JSON.stringify(z.encode(endpoint.body!, body)) }),
      ...(options.signal && { signal: options.signal }),
    }
    const { response, text } = await readAnswer(send(baseUrl + urlOf(endpoint, params, query), request), isWrite)
    if (!response.ok) throw new ApiError(response.status, text, response.statusText, isWrite)
    if (endpoint.approvers && response.status === 202) throw new Proposed(text)
    return z.decode(endpoint.response, parseJson(text) as never) as Output<typeof endpoint>
  }
}

async function readAnswer(answer: Promise<Response>, isWrite: boolean): Promise<{ response: Response; text: string }> {
  try {
    const response = await answer
    return { response, text: await response.text() }
  } catch (error) {
    const { name, message } = error as Error
    const isLost = error instanceof TypeError || name === 'TimeoutError'
    if (!isWrite || !isLost || error instanceof NotSent) throw error
    throw new AnswerLost(message, { cause: error })
  }
}

function urlOf(endpoint: Endpoint, params?: object, query?: object): string {
  const values = params ? (z.encode(endpoint.params!, params) as Record<string, string>) : {}
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name]!))
  const search = query ? `?${new URLSearchParams(z.encode(endpoint.query!, query) as Record<string, string>)}` : ''
  return path + search
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
