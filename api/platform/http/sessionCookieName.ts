import type { Config } from '../config.ts'
import type { SessionRealm } from '../tables/WebSession.ts'

/** A `__Host-` cookie is refused by browsers unless it is secure and for this host alone. */
export const sessionCookieName = (realm: SessionRealm, { production }: Pick<Config, 'production'>): string =>
  production ? `__Host-${realm}_session` : `${realm}_session`
