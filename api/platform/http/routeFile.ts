import type Router from '@koa/router'
import type { Context } from 'koa'
import type { Readable } from 'node:stream'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { MINUTE } from '#shared/dates.ts'
import { DomainError } from '../errors.ts'
import { decodeInput } from './decodeInput.ts'
import { type Caller, countCall, identifyCaller, register, type Request, type RequestState } from './route.ts'

export interface FileAnswer {
  /** The file name. */
  name: string
  /** The media type. */
  type: string
  /** Read at the client's speed, and destroyed when the client disconnects. */
  body: Readable
}

/** Runs without a transaction, because the file is read long after the handler has returned. */
export type FileRequest<E extends Endpoint> = Omit<Request<E>, 'afterCommit' | 'idempotencyKey' | 'markReplayed'>

/** Each download holds a database connection while it is read. */
const MAX_CONCURRENT_FILES = 4
let filesBeingSent = 0

/** Registers an endpoint that streams a file, with the same checks as `route`. */
export function routeFile<E extends Endpoint>(
  router: Router,
  endpoint: E,
  handle: (request: FileRequest<E>) => Promise<FileAnswer> | FileAnswer,
): void {
  register(router, endpoint, async (ctx: Context) => {
    const { em } = ctx.state as RequestState
    const request = { ...identifyCaller(endpoint, ctx), ...decodeInput(endpoint, ctx), em }
    if (filesBeingSent >= MAX_CONCURRENT_FILES)
      throw new DomainError('busy', 'Many files are being prepared right now. Please try again in a moment.', {
        status: 503,
        retryAfter: 5,
      })
    filesBeingSent += 1
    const { name, type, body } = await prepare(ctx, request)
    // A client that stops reading must not hold the database connection.
    const idle = () => body.destroy()
    const late = setTimeout(idle, 10 * MINUTE)
    ctx.res.setTimeout(MINUTE, idle)
    body.once('close', () => {
      filesBeingSent -= 1
      clearTimeout(late)
    })
    ctx.status = endpoint.status ?? 200
    ctx.attachment(name)
    ctx.type = type
    ctx.body = body
  })

  async function prepare(ctx: Context, request: Caller): Promise<FileAnswer> {
    try {
      await countCall(endpoint, ctx, request)
      return await handle(request as unknown as FileRequest<E>)
    } catch (error) {
      filesBeingSent -= 1
      throw error
    }
  }
}
