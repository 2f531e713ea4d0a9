import type { Context } from 'koa'
import { newId } from '../db/newId.ts'
import type { SessionRealm } from '../tables/WebSession.ts'
import type { BrowserState } from './browserToken.ts'
import type { CookieSession } from './namedSession.ts'
import type { Actor, SessionState } from './sessionStore.ts'

/** One realm's session of the request at hand. */
export class RequestSession {
  readonly #ctx: Context
  readonly #realm: SessionRealm

  constructor(ctx: Context, realm: SessionRealm) {
    this.#ctx = ctx
    this.#realm = realm
  }

  get actor(): Actor | undefined {
    return (this.#ctx.state as SessionState).actors?.[this.#realm]
  }

  /** Names this session in rows that belong to it alone. Draws a name, and so begins a session, if there is none yet. */
  key(): string {
    const session = this.#session()
    session.key ??= newId()
    return session.key
  }

  /** Logs out whoever is logged in, and goes on under a new id and a new key, which it answers. */
  async beginAnew(): Promise<string> {
    const session = this.#session()
    delete session.accountId
    delete session.accountEpoch
    session.key = newId()
    await session.regenerate()
    return session.key
  }

  /** The same for who only asks: undefined if there is no session yet, and none is begun. */
  heldKey(): string | undefined {
    return this.#view().session?.key
  }

  /** Names this browser for years, whoever logs in; drawn when first asked for. Known to nobody but the browser. */
  browserToken(): string {
    return (this.#ctx.state as BrowserState).browserToken()
  }

  /** The same without drawing one. */
  heldBrowserToken(): string | undefined {
    return (this.#ctx.state as BrowserState).heldBrowserToken()
  }

  /** Makes this browser the account's, under a new id and a new key: what was known of the old session opens nothing. */
  async signIn({ id, epoch }: { id: string; epoch: number }): Promise<void> {
    const session = this.#session()
    session.key = newId()
    session.accountId = id
    session.accountEpoch = epoch
    await session.regenerate()
  }

  /** Gives the session another id, so that a copy of the old one opens nothing. One that has ended meanwhile stays so. */
  async renewId(): Promise<void> {
    ;(this.#ctx.state as SessionState).renewal = { found: false }
    await this.#session().regenerate()
  }

  signOut(): void {
    this.#view().session = null
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
