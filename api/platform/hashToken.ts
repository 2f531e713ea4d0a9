import { createHash } from 'node:crypto'

/** SHA-256 in hex. What is stored of a token: a copy of the database opens nothing. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')
