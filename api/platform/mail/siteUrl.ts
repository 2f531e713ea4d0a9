/** The base URL of links in mails: the configured one, by default localhost, where the embedded stack runs. */
export const siteUrl = ({ PUBLIC_URL, PORT }: { PUBLIC_URL: string | undefined; PORT: number }): string =>
  PUBLIC_URL ?? `http://localhost:${PORT}`
