/**
 * Whether an `If-None-Match` lists the tag of the answer. It is compared weakly, since proxies that compress an answer weaken its tag
 * (RFC 9110, "If-None-Match").
 */
export const listsTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
