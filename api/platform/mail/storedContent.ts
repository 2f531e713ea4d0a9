import type { OwnWords, Sentence, TranslatableText } from './sentence.ts'
import type { MailContent } from './writeMail.ts'

type Value = string | number | Date | Sentence
/** A value in JSON, which has no dates. */
type StoredValue = string | number | { date: string } | StoredText

interface StoredText {
  text: Sentence['text']
  values: Record<string, StoredValue>
}

/** Own words: English as the text, which a release that does not know the Korean shows. */
interface StoredWords {
  text: string
  values: Record<string, never>
  ko: string
}

/** The content of a mail as JSON: texts of the catalogue with their values, so that it can be shown in any language later. */
export interface StoredContent {
  subject: StoredText
  paragraphs: (StoredText | StoredWords)[]
  facts: [StoredText, StoredValue][]
}

export const storeContent = ({ subject, paragraphs, facts = [] }: MailContent): StoredContent => ({
  subject: storeText(subject),
  paragraphs: paragraphs.map((said) =>
    typeof said === 'object' && 'en' in said ? { text: said.en, values: {}, ko: said.ko } : storeText(said),
  ),
  facts: facts.map(([name, value]) => [storeText(name), storeValue(value)]),
})

const storeText = (said: TranslatableText): StoredText =>
  typeof said === 'string' ? { text: said, values: {} } : { text: said.text, values: mapValues(said.values ?? {}, storeValue) }

function storeValue(value: Value): StoredValue {
  if (value instanceof Date) return { date: value.toISOString() }
  return typeof value === 'object' ? storeText(value) : value
}

/** The content that was stored. Texts that the catalogue no longer has stay as they are. */
export const readContent = ({ subject, paragraphs, facts }: StoredContent) => ({
  subject: readText(subject),
  paragraphs: paragraphs.map((stored): Sentence | OwnWords =>
    'ko' in stored ? { en: stored.text, ko: stored.ko } : readText(stored),
  ),
  facts: facts.map(([name, value]): [Sentence, Value] => [readText(name), readValue(value)]),
})

const readText = ({ text, values }: StoredText): Sentence => ({ text, values: mapValues(values, readValue) })

function readValue(value: StoredValue): Value {
  if (typeof value !== 'object') return value
  return 'date' in value ? new Date(value.date) : readText(value)
}

const mapValues = <From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
