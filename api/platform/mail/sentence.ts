import { fillIn, type NamesIn, type ValuesFor } from '#shared/fillIn.ts'
import type { Language } from '#shared/languages.ts'
import { formatTime } from './formatTime.ts'
import { ko } from './ko.ts'

type Text = keyof typeof ko
/** User input is a string, which is not translated. Dates are shown to the minute. */
type Value = string | number | Date | Sentence

/** A text with values for its placeholders. Created only by `sentence`. */
export interface Sentence {
  readonly text: Text
  readonly values: Readonly<Record<string, Value>> | undefined
}

/** A text of a mail: one without placeholders, or a sentence. A text that is missing from the catalog does not compile. */
export type TranslatableText = Exclude<Text, `${string}{${string}`> | Sentence

const catalogues: Record<Language, Partial<Record<Text, string>>> = { en: {}, ko }

/** Words of a person in each language, which the catalogue lacks. Nothing is filled in. */
export type OwnWords = Readonly<Record<Language, string>>

/** Pairs a text with its values, to be translated later. */
export const sentence = <const T extends Text>(text: T, ...[values]: ValuesFor<NamesIn<T>, Value>): Sentence => ({ text, values })

/** A number of nodes within a sentence. */
export const sayNodes = (count: number): Sentence =>
  count === 1 ? sentence('1 node') : sentence('{count} nodes', { count: String(count) })

/** Translates a text and fills in its values. */
export function inLanguage(language: Language, said: TranslatableText | OwnWords): string {
  if (typeof said === 'string') return catalogues[language][said] ?? said
  if ('en' in said) return said[language]
  const { text, values = {} } = said
  const words = Object.entries(values).map(([name, value]) => [
    name,
    value instanceof Date ? formatTime[language].minute(value) : typeof value === 'object' ? inLanguage(language, value) : value,
  ])
  return fillIn(catalogues[language][text] ?? text, Object.fromEntries(words) as Record<string, string | number>)
}
