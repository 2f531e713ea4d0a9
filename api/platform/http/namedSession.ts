import { createHash, randomBytes } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import session, { type CreateSessionOptions } from 'koa-session'
import type { SessionRealm } from '../tables/WebSession.ts'

/** The parts of koa-session's session object that are used here. */
export interface CookieSession {
  /** Identifies this session in related rows. Created on first use and replaced at login. */
  key?: string
  accountId?: string
  accountEpoch?: number
  readonly externalKey?: string
  readonly isNew: boolean
  regenerate(): Promise<void>
  save(): Promise<void>
}

export const hashSessionId = (id: string): string => createHash('sha256').update(id).digest('hex')

const newSessionIds = Symbol('ids generated in this request')

/**
 * Whether the id was generated in this request and not stored yet: only such a session may be inserted, any other must still exist. A login
 * stores its session at once and again when the request ends, and it may have been ended in between.
 */
export const takeNewSessionId = (state: object, id: string): boolean =>
  (state as { [newSessionIds]?: Set<string> })[newSessionIds]?.delete(id) ?? false

const replacedSessions = new WeakSet<object>()

/** Notes that another request has replaced the session of this one, whose answer must not give the browser the old id again. */
export const markReplaced = (view: object): void => void replacedSessions.add(view)

/** This request has replaced the session's id itself: its answer gives the browser the new one. */
export const unmarkReplaced = (view: object): void => void replacedSessions.delete(view)

/** Reading is done by then. */
const untouchedCookies = { get: () => undefined, set: () => undefined }

/**
 * koa-session extends a prototype only once, so a second session on the same app is silently ignored. This gives each realm its
 * own view of the context, at `ctx.state.sessions[realm]`, limited to the members that koa-session uses.
 */
export function namedSession(realm: SessionRealm, options: CreateSessionOptions): Middleware {
  class SessionView {
    declare session: CookieSession | null
    readonly #ctx: Context

    constructor(ctx: Context) {
      this.#ctx = ctx
    }

    get app() {
      return this.#ctx.app
    }

    get cookies() {
      return replacedSessions.has(this) ? untouchedCookies : this.#ctx.cookies
    }

    get state() {
      return this.#ctx.state
    }

    get(header: string): string {
      return this.#ctx.get(header)
    }
  }

  const holder = { use: () => holder, context: SessionView.prototype }
  const middleware = session(
    {
      ...options,
      genid: (ctx: { state: { [newSessionIds]?: Set<string> } }) => {
        const id = randomBytes(32).toString('base64url')
        ;(ctx.state[newSessionIds] ??= new Set()).add(id)
        return id
      },
    },
    holder,
  )
  return (ctx, next) => {
    const view = new SessionView(ctx)
    const state = ctx.state as { sessions?: Partial<Record<SessionRealm, SessionView>> }
    state.sessions = { ...state.sessions, [realm]: view }
    return middleware(view, next)
  }
}
