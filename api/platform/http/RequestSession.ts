import type { Context } from 'koa'
import { newId } from '../db/newId.ts'
import type { SessionRealm } from '../tables/WebSession.ts'
import type { BrowserState } from './browserToken.ts'
import type { CookieSession } from './namedSession.ts'
import type { Actor, SessionState } from './sessionStore.ts'
import type { VisitorCookie } from './visitorCookie.ts'

/** The current request's session in one realm. */
export class RequestSession {
  readonly #ctx: Context
  readonly #realm: SessionRealm
  #visitorCookie: VisitorCookie | undefined

  constructor(ctx: Context, realm: SessionRealm) {
    this.#ctx = ctx
    this.#realm = realm
  }

  get actor(): Actor | undefined {
    return (this.#ctx.state as SessionState).actors?.[this.#realm]
  }

  /** The key that identifies this session in related rows, or a visitor of the site without one. */
  key(): string {
    const session = this.#session()
    if (session.key === undefined && this.#realm === 'user') return this.#visitor().key()
    session.key ??= newId()
    return session.key
  }

  /** Logs out and continues with a new id and a new key. @returns the key. */
  async beginAnew(): Promise<string> {
    const session = this.#session()
    delete session.accountId
    delete session.accountEpoch
    session.key = newId()
    await session.regenerate()
    return session.key
  }

  /** Like `key`, but returns undefined rather than creating one. */
  heldKey(): string | undefined {
    return this.#view().session?.key ?? (this.#realm === 'user' ? this.#visitor().heldKey() : undefined)
  }

  /**
   * The long-lived token that identifies this browser across accounts, created on first use. Only the browser stores it in plain
   * text.
   */
  browserToken(): string {
    return (this.#ctx.state as BrowserState).browserToken()
  }

  /** Like `browserToken`, without creating one. */
  heldBrowserToken(): string | undefined {
    return (this.#ctx.state as BrowserState).heldBrowserToken()
  }

  /** Logs in under a new id and a new key, so that the previous session's id and key, or the visitor's, become useless. */
  async signIn({ id, epoch }: { id: string; epoch: number }): Promise<void> {
    if (this.#realm === 'user') this.#visitor().forget()
    const session = this.#session()
    session.key = newId()
    session.accountId = id
    session.accountEpoch = epoch
    await session.regenerate()
  }

  /** Replaces the session's id, so that copies of the old one become useless. A session that has ended meanwhile stays ended. */
  async renewId(): Promise<void> {
    ;(this.#ctx.state as SessionState).renewal = {}
    await this.#session().regenerate()
  }

  signOut(): void {
    this.#view().session = null
  }

  #visitor(): VisitorCookie {
    return (this.#visitorCookie ??= (this.#ctx.state as BrowserState).visitor())
  }

  #view(): { session: CookieSession | null } {
    const view = (this.#ctx.state as { sessions?: Record<SessionRealm, { session: CookieSession | null }> }).sessions?.[
      this.#realm
    ]
    if (!view) throw new Error(`There is no ${this.#realm} session on this request.`)
    return view
  }

  #session(): CookieSession {
    const { session } = this.#view()
    if (!session) throw new Error('The session has ended.')
    return session
  }
}
