import { groupDigits } from './amount.ts'

/** The placeholder names of a text. */
export type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** A value for each placeholder; no argument for a text without any. */
export type ValuesFor<Names extends string, Value> = [Names] extends [never] ? [] : [values: Record<Names, Value>]

/** Replaces the placeholders by values. Numbers are grouped. */
export const fillIn = (text: string, values: Readonly<Record<string, string | number>> | undefined): string =>
  values ? text.replace(/\{(\w+)\}/g, (name, key: string) => show(values[key] ?? name)) : text

const show = (value: string | number): string => (typeof value === 'number' ? groupDigits(String(value)) : value)
