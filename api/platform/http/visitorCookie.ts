import type { Context } from 'koa'
import { randomBytes } from 'node:crypto'
import { DAY } from '#shared/dates.ts'
import { hashToken } from '../hashToken.ts'

/**
 * Holds together what a visitor does before a login, such as a solved captcha. Not in the session's cookie: a late answer to a visitor
 * would replace the session of a login that another tab has made meanwhile.
 */
export interface VisitorCookie {
  /** The key of related rows. Creates the cookie if there is none, or renews it. */
  key(): string
  /** Like `key`, but returns undefined rather than creating the cookie. */
  heldKey(): string | undefined
  forget(): void
}

/** Browsers accept a `__Host-` cookie only if it is secure and limited to this host. */
export function visitorCookie(ctx: Context, { secure }: { secure: boolean }): VisitorCookie {
  const name = secure ? '__Host-visitor' : 'visitor'
  const options = { httpOnly: true, sameSite: 'lax', secure, signed: false, overwrite: true } as const
  const held = ctx.cookies.get(name, { signed: false })
  let token = held && /^[\w-]{43}$/.test(held) ? held : undefined
  return {
    key() {
      token ??= randomBytes(32).toString('base64url')
      // Also if it is held: it must not expire before what is stored under the key now.
      ctx.cookies.set(name, token, { ...options, maxAge: DAY })
      return visitorKeyOf(token)
    },
    heldKey: () => (token === undefined ? undefined : visitorKeyOf(token)),
    forget() {
      if (token !== undefined) ctx.cookies.set(name, null, options)
      token = undefined
    },
  }
}

/** Has the form of a session's key, beside which it is stored. */
export const visitorKeyOf = (token: string): string =>
  hashToken(token).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
