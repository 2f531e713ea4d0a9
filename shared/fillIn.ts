import { groupDigits } from './amount.ts'

/** The names in braces of a text. */
export type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** A value for each of the names: no argument at all where a text has none. */
export type ValuesFor<Names extends string, Value> = [Names] extends [never] ? [] : [values: Record<Names, Value>]

/** Puts the values in the place of their names. Numbers are grouped. */
export const fillIn = (text: string, values: Readonly<Record<string, string | number>> | undefined): string =>
  values ? text.replace(/\{(\w+)\}/g, (name, key: string) => show(values[key] ?? name)) : text

const show = (value: string | number): string => (typeof value === 'number' ? groupDigits(String(value)) : value)
