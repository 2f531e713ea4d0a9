import { z } from 'zod'

/** The id of a row: any letter case on the wire; lower case, as stored, in code. */
export const rowId = z.uuid().toLowerCase()
