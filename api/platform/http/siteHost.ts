import type { Config } from '../config.ts'

/** The host (with its port) under which people know the site: the configured one, else the one the request names. */
export const siteHost = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>, hostHeader: string): string =>
  PUBLIC_URL ? new URL(PUBLIC_URL).host : hostHeader.toLowerCase()
