import { z } from 'zod'

type Text = string & NonNullable<unknown>

/**
 * One of some values in an answer, to which a newer server may have added: an unknown one is text like any other, shown as it is, and never
 * makes the answer unreadable.
 */
export const openEnum = <const Value extends string>(values: readonly Value[]): z.ZodType<Value | Text, Value | Text> =>
  z.union([z.enum(values), z.string()])
