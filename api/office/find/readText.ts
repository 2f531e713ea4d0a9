import type { Address, Hash } from 'viem'

/** What a search text can name. A text of eight digits may be an id, a number and part of an address at once. */
export interface Named {
  hash?: Hash
  address?: Address
  nodeNumber?: number
  /** The lowest and the highest id that begin with the text. */
  ids?: { from: string; to: string }
  /** Part of an email address. */
  email?: string
}

const HEX_LENGTH = 32
/** The length of the ids that people are shown. */
const SHOWN_LENGTH = 8

/** Tells by its form what a text can name. */
export function readText(text: string): Named {
  const term = text.trim().toLowerCase()
  if (/^0x[0-9a-f]{64}$/.test(term)) return { hash: term as Hash }
  if (/^0x[0-9a-f]{40}$/.test(term)) return { address: term as Address }
  const ids = idsBeginningWith(term)
  return {
    ...(/^#?\d{1,6}$/.test(term) && { nodeNumber: Number(term.replace('#', '')) }),
    ...(ids && { ids }),
    // A whole id is no address.
    ...(term && !(ids && term.length > SHOWN_LENGTH) && { email: term }),
  }
}

/** Eight characters up to a whole id, with its dashes where an id has them. */
const BEGINNING_OF_ID =
  /^[0-9a-f]{8}(-([0-9a-f]{0,4}|[0-9a-f]{4}-([0-9a-f]{0,4}|[0-9a-f]{4}-([0-9a-f]{0,4}|[0-9a-f]{4}-[0-9a-f]{0,12}))))?$/

/** The range of the ids that begin with the text. */
function idsBeginningWith(term: string): Named['ids'] {
  if (!BEGINNING_OF_ID.test(term)) return undefined
  const hex = term.replaceAll('-', '')
  return { from: toId(hex.padEnd(HEX_LENGTH, '0')), to: toId(hex.padEnd(HEX_LENGTH, 'f')) }
}

const toId = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
