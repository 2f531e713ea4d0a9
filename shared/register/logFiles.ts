import { demand } from './FormatError.ts'
import { BLOCK_SIZE } from './tree.ts'

/** The log's file that holds an entry, below `/register/log/`. */
export const logFileOf = (index: number): string => `${Math.floor(index / BLOCK_SIZE)}.txt`

/** An entry in its file: an empty line ends it. */
export const inLogFile = (entry: string): string => `${entry}\n`

/** The entries of a log file. @throws {FormatError} */
export function splitLogFile(file: string): string[] {
  if (file === '') return []
  demand(file.endsWith('\n\n'), 'The file ends within an entry')
  const entries = file
    .slice(0, -2)
    .split('\n\n')
    .map((entry) => `${entry}\n`)
  demand(entries.length <= BLOCK_SIZE, 'The file has too many entries')
  return entries
}
