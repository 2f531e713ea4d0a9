import { z } from 'zod'

type Text = string & NonNullable<unknown>

/**
 * An enum in a response to which a newer server may have added values: an unknown one is a plain string, displayed unchanged, and
 * does not fail the decoding.
 */
export const openEnum = <const Value extends string>(values: readonly Value[]): z.ZodType<Value | Text, Value | Text> =>
  z.union([z.enum(values), z.string()])
