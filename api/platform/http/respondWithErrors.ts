import type { Context, Middleware } from 'koa'
import type { errorBody } from '#shared/errors.ts'
import { textOfObjection } from '#shared/objectionTexts.ts'
import type { z } from 'zod'
import { OutcomeUnknown } from '../db/DatabaseClient.ts'
import { isUnavailable } from '../db/isUnavailable.ts'
import { DomainError, refusal } from '../errors.ts'
import type { RequestState } from './route.ts'

/** Converts errors into responses. No other place does. */
export const respondWithErrors: Middleware = async (ctx, next) => {
  try {
    await next()
    if (ctx.status === 404 && ctx.body == null) throw refusal(404, 'not_found', 'Not found.')
    if (ctx.status === 405 || ctx.status === 501) throw refusal(405, 'method_not_allowed', 'Method not allowed.')
  } catch (error) {
    const known = asDomainError(error, ctx)
    if (!known || known === databaseAway || known === outcomeUnknown) ctx.app.emit('error', error, ctx)
    ctx.status = known?.status ?? 500
    if (known?.retryAfter !== undefined) ctx.set('Retry-After', String(Math.max(1, Math.ceil(known.retryAfter))))
    ctx.set('Cache-Control', 'no-store')
    const requestId = ctx.response.get('X-Request-Id')
    ctx.body = {
      ...(known ? presentRefusal(known) : { message: mayBeDone(error, ctx) ? outcomeUnknown.message : FAILED, code: 'internal' }),
      ...(requestId && { requestId }),
    } satisfies z.input<typeof errorBody>
  }
}

const presentRefusal = ({ message, code, details, objections }: DomainError) => ({
  message,
  code,
  ...(Object.keys(details).length > 0 && { details }),
  ...(objections.length > 0 && { objections: objections.map((one) => ({ ...one, message: textOfObjection(one) })) }),
})

function asDomainError(error: unknown, ctx: Context): DomainError | undefined {
  if (error instanceof DomainError) return error
  if (isHttpError(error)) return httpRefusals[error.status]?.() ?? refusal(400, 'invalid_request', 'The request is not valid.')
  if (!isOutcomeUnknown(error) && !isUnavailable(error)) return undefined
  return mayBeDone(error, ctx) ? outcomeUnknown : databaseAway
}

/** Whether the change may be in effect, so that repeating the call would have a second one. */
function mayBeDone(error: unknown, ctx: Context): boolean {
  const isRepeatable = ctx.method === 'GET' || ctx.get('Idempotency-Key') !== ''
  return !isRepeatable && (isOutcomeUnknown(error) || (ctx.state as Partial<RequestState>).hasCommitted === true)
}

const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof OutcomeUnknown || (error instanceof Error && isOutcomeUnknown(error.cause))

const FAILED = 'Something went wrong on our side. Nothing was lost. Please try again.'

/** Also reported, because an operator must know. */
const databaseAway = new DomainError('busy', "We can't respond right now. Nothing was lost. Please try again.", {
  status: 503,
  retryAfter: 2,
})

/** A call failed while its change was being committed or afterwards: it may be in effect. */
const outcomeUnknown = new DomainError(
  'busy',
  "We can't tell whether this was done. Nothing was lost. Please check before you try again.",
  { status: 503, retryAfter: 2 },
)

/** An error of the body parser. */
const isHttpError = (error: unknown): error is { status: number } =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status >= 400 && error.status < 500

const httpRefusals: Record<number, () => DomainError> = {
  413: () => refusal(413, 'payload_too_large', 'The request is too large.'),
  415: () => refusal(415, 'unsupported_media_type', 'Send application/json.'),
}

/** Whether the client disconnected before the response was complete, which needs no report. */
export const isCallerGone = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    error.code === 'ECONNRESET' ||
    error.code === 'EPIPE' ||
    // Malformed bytes on the connection, which is closed.
    String(error.code).startsWith('HPE_'))
