import { type Message, translate } from './t.ts'

/** The label of a value; an unknown value from a newer server is shown as it is. */
export function wordOf(words: Readonly<Partial<Record<string, Message>>>, value: string): string {
  const word = Object.hasOwn(words, value) ? words[value] : undefined
  return word === undefined ? value : translate(word)
}
