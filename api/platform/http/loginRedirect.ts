import type Router from '@koa/router'
import { LOGIN_MARKER } from '#shared/sale.ts'

/** Redirects an expired session to the login: the administrators' one for pages of the back office, the users' one otherwise. */
export function loginRedirect(router: Router): void {
  router.get('/api/login', (ctx) => {
    ctx.redirect(isAdminPage(ctx.get('referer')) ? '/admin1' : `/?login=${LOGIN_MARKER}`)
    ctx.status = 302
  })
}

const isAdminPage = (referer: string): boolean => URL.canParse(referer) && new URL(referer).pathname.startsWith('/admin')
