import { fillIn, type NamesIn, type ValuesFor } from '#shared/fillIn.ts'
import type { Language } from '#shared/languages.ts'
import { ko } from './ko.ts'

type Text = keyof typeof ko
type Value = string | number | Sentence

/** A text with what stands in its braces. Only `say` makes one. */
export interface Sentence {
  readonly text: Text
  readonly values: Readonly<Record<string, Value>> | undefined
}

/** What a mail may say: a text without braces stands for itself. One that the catalogue lacks does not compile. */
export type Said = Exclude<Text, `${string}{${string}`> | Sentence

const catalogues: Record<Language, Partial<Record<Text, string>>> = { en: {}, ko }

/** A text with its values, for whatever language it will be read in. What a person typed may be a value; it stays as it is. */
export const say = <const T extends Text>(text: T, ...[values]: ValuesFor<NamesIn<T>, Value>): Sentence => ({ text, values })

/** What is said, in the words of a language. */
export function inLanguage(language: Language, said: Said): string {
  if (typeof said === 'string') return catalogues[language][said] ?? said
  const { text, values = {} } = said
  const words = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? inLanguage(language, value) : value,
  ])
  return fillIn(catalogues[language][text] ?? text, Object.fromEntries(words) as Record<string, string | number>)
}
