import { type Message, translate } from './t.ts'

/** The word of a value; a value that a newer server has added has none here and is shown as it is. */
export function wordOf(words: Readonly<Partial<Record<string, Message>>>, value: string): string {
  const word = Object.hasOwn(words, value) ? words[value] : undefined
  return word === undefined ? value : translate(word)
}
