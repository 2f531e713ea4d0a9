import { demand } from './FormatError.ts'
import { count, hash } from './values.ts'

export interface Checkpoint {
  origin: string
  /** The number of entries. */
  size: number
  root: Uint8Array
}

export const MAX_CHECKPOINT = 4_096

/** The text that the log's key signs. */
export const formatCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${count.write(size)}\n${hash.write(root)}\n`

/** @throws {FormatError} unless it is the text of a checkpoint of this origin. */
export function parseCheckpoint(text: string, expected: string): Checkpoint {
  const [origin, size, root, ...rest] = text.slice(0, -1).split('\n')
  demand(origin === expected && size !== undefined && root !== undefined && rest.length === 0, 'This is no checkpoint of the log')
  return { origin, size: count.read(size), root: hash.read(root) }
}
