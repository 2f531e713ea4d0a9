import type Router from '@koa/router'
import { LOGIN_MARKER } from '#shared/sale.ts'

/** Where a lost session goes: the administrator's login if the page was one of the back office, else the one of users. */
export function loginRedirect(router: Router): void {
  router.get('/api/login', (ctx) => {
    ctx.redirect(isAdminPage(ctx.get('referer')) ? '/admin1' : `/?login=${LOGIN_MARKER}`)
    ctx.status = 302
  })
}

const isAdminPage = (referer: string): boolean => URL.canParse(referer) && new URL(referer).pathname.startsWith('/admin')
