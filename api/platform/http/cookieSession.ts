import type { MikroORM } from '@mikro-orm/postgresql'
import type { Middleware } from 'koa'
import type { Config } from '../config.ts'
import type { SessionRealm } from '../tables/WebSession.ts'
import { namedSession } from './namedSession.ts'
import { SESSION_LIFETIME } from './sessionLifetime.ts'
import { sessionStore } from './sessionStore.ts'

/** Browsers accept a `__Host-` cookie only if it is secure and limited to this host. */
export const sessionCookieName = (realm: SessionRealm, { production }: Pick<Config, 'production'>): string =>
  production ? `__Host-${realm}_session` : `${realm}_session`

/** Session middleware for users or administrators. */
export const cookieSession = (
  realm: SessionRealm,
  { config, orm }: { config: Pick<Config, 'production'>; orm: MikroORM },
): Middleware =>
  namedSession(realm, {
    key: sessionCookieName(realm, config),
    maxAge: SESSION_LIFETIME[realm],
    renew: realm === 'user',
    signed: false,
    httpOnly: true,
    sameSite: 'lax',
    secure: config.production,
    store: sessionStore(orm, realm),
  })
