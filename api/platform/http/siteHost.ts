import type { Config } from '../config.ts'

/** The site's public host with its port: the configured one, by default the request's. */
export const siteHost = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>, hostHeader: string): string =>
  PUBLIC_URL ? new URL(PUBLIC_URL).host : hostHeader.toLowerCase()
