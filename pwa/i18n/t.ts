import { fillIn, type NamesIn, type ValuesFor } from '#shared/fillIn.ts'
import { useLanguage } from './language.ts'
import type { Texts } from './Texts.ts'

type Value = string | number
type Values<Names extends string> = ValuesFor<Names, Value>

/** A text defined in one place and displayed in another. Only `msg` makes one. */
export type Message<Names extends string = never> = string & { readonly __names: Names }

/** The text in the page's language. The English text is the key: a literal at the place of use. */
export function t<const Text extends string>(text: Text, ...[values]: Values<NamesIn<Text>>): string {
  return fillIn(useLanguage.getState().texts[text] ?? text, values)
}

/** Marks a text for the catalogue, to be displayed by `translate` later: for tables that are built before the language is known. */
export const msg = <const Text extends string>(text: Text) => text as unknown as Message<NamesIn<Text>>

/** Displays a message. */
export function translate<Names extends string>(message: Message<Names>, ...[values]: Values<Names>): string {
  return fillIn(useLanguage.getState().texts[message] ?? message, values)
}

/** One text for exactly one and another for any other number; both call it {count}. */
export function plural<const One extends string, const Other extends string>(
  count: number,
  one: One,
  other: Other,
  ...[values]: Values<Exclude<NamesIn<One> | NamesIn<Other>, 'count'>>
): string {
  const text = count === 1 ? one : other
  return fillIn(useLanguage.getState().texts[text] ?? text, { count, ...(values as Record<string, Value> | undefined) })
}

/** A text from the server or shared/ in the page's language; untranslated texts are returned unchanged. */
export function translateServerText(text: string): string {
  const { language, texts, serverTexts } = useLanguage.getState()
  if (language === 'en') return text
  return serverTexts[text] ?? texts[text] ?? readByPattern(text, serverTexts) ?? text
}

function readByPattern(text: string, patterns: Texts): string | undefined {
  // The pattern with the most literal text wins: "the oldest for {age}" before "{count} minutes".
  const byWords = Object.entries(patterns)
    .filter(([pattern]) => pattern.includes('{'))
    .toSorted(([one], [other]) => wordsOf(other) - wordsOf(one))
  for (const [pattern, translation] of byWords) {
    const values = patternOf(pattern).exec(text)?.groups
    // A value may itself be translatable, such as "5 minutes".
    if (values)
      return fillIn(
        translation,
        Object.fromEntries(Object.entries(values).map(([name, value]) => [name, translateServerText(value)])),
      )
  }
  return undefined
}

const wordsOf = (pattern: string): number => pattern.replace(/\{\w+\}/g, '').length

const patternOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>.+?)')}$`, 's')
