import type { Context } from 'koa'
import { randomBytes } from 'node:crypto'
import { DAY } from '#shared/dates.ts'

/** Browsers keep no cookie for longer. */
const KEPT = 400 * DAY

/** Part of every request's state. */
export interface BrowserState {
  browserToken: () => string
  heldBrowserToken: () => string | undefined
}

interface CookieOptions {
  /** A `__Host-` cookie is refused by browsers unless it is secure and for this host alone. */
  secure: boolean
}

const cookieName = ({ secure }: CookieOptions): string => (secure ? '__Host-browser' : 'browser')

/** The random name in the browser's long-lived cookie; undefined for a browser without one. */
export function heldBrowserToken(ctx: Context, options: CookieOptions): string | undefined {
  const token = ctx.cookies.get(cookieName(options), { signed: false })
  return token && /^[\w-]{43}$/.test(token) ? token : undefined
}

/** The same, given to the browser with this answer if it has none. */
export function browserToken(ctx: Context, options: CookieOptions): string {
  const token = heldBrowserToken(ctx, options) ?? randomBytes(32).toString('base64url')
  ctx.cookies.set(cookieName(options), token, {
    maxAge: KEPT,
    httpOnly: true,
    sameSite: 'lax',
    secure: options.secure,
    signed: false,
    overwrite: true,
  })
  return token
}
