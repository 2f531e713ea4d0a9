import { z } from 'zod'

/** The id of a row, as a caller names it: any letter case on the wire; lower case, the one form in which ids are stored, in code. */
export const rowId = z.uuid().toLowerCase()
