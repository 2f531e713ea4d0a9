import type { Config } from '../config.ts'

/** The base URL of links in mails: the configured one, by default localhost, where the embedded stack runs. */
export const siteUrl = ({ PUBLIC_URL, PORT }: Pick<Config, 'PUBLIC_URL' | 'PORT'>): string =>
  PUBLIC_URL ?? `http://localhost:${PORT}`
