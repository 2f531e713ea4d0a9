import type { Context } from 'koa'
import { randomBytes } from 'node:crypto'
import { DAY } from '#shared/dates.ts'
import type { VisitorCookie } from './visitorCookie.ts'

/** The maximum lifetime that browsers accept for a cookie. */
const COOKIE_LIFETIME = 400 * DAY

/** The part of every request's state that identifies the browser. */
export interface BrowserState {
  browserToken: () => string
  heldBrowserToken: () => string | undefined
  visitor: () => VisitorCookie
}

interface CookieOptions {
  /** Browsers accept a `__Host-` cookie only if it is secure and limited to this host. */
  secure: boolean
}

const cookieName = ({ secure }: CookieOptions): string => (secure ? '__Host-browser' : 'browser')

/** The random token in the browser's long-lived cookie; undefined if there is none. */
export function heldBrowserToken(ctx: Context, options: CookieOptions): string | undefined {
  const token = ctx.cookies.get(cookieName(options), { signed: false })
  return token && /^[\w-]{43}$/.test(token) ? token : undefined
}

/** Like `heldBrowserToken`, but creates the token if there is none, and sends it in this response. */
export function browserToken(ctx: Context, options: CookieOptions): string {
  const token = heldBrowserToken(ctx, options) ?? randomBytes(32).toString('base64url')
  ctx.cookies.set(cookieName(options), token, {
    maxAge: COOKIE_LIFETIME,
    httpOnly: true,
    sameSite: 'lax',
    secure: options.secure,
    signed: false,
    overwrite: true,
  })
  return token
}
