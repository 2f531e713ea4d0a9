import type { Config } from '../config.ts'

/** Where a link in a mail leads to: the configured address, else this machine, where the embedded stack runs. */
export const siteUrl = ({ PUBLIC_URL, PORT }: Pick<Config, 'PUBLIC_URL' | 'PORT'>): string =>
  PUBLIC_URL ?? `http://localhost:${PORT}`
