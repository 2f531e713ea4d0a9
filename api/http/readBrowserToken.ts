import type { Context } from 'koa'
import { randomBytes } from 'node:crypto'
import { DAY } from '#shared/dates.ts'

/** Browsers keep no cookie for longer. */
const KEPT = 400 * DAY

/** The random name in the browser's long-lived cookie. A browser without one is given one with this answer. */
export function readBrowserToken(ctx: Context, { secure }: { secure: boolean }): string {
  const name = secure ? '__Host-browser' : 'browser'
  const given = ctx.cookies.get(name, { signed: false })
  const token = given && /^[\w-]{43}$/.test(given) ? given : randomBytes(32).toString('base64url')
  ctx.cookies.set(name, token, { maxAge: KEPT, httpOnly: true, sameSite: 'lax', secure, signed: false, overwrite: true })
  return token
}
