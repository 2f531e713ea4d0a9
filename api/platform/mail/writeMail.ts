import type { Language } from '#shared/languages.ts'
import type { Config } from '../config.ts'
import { composeMail } from './composeMail.ts'
import { formatTime } from './formatTime.ts'
import type { Mail } from './mailTransport.ts'
import type { Recipient } from './Recipient.ts'
import { inLanguage, type OwnWords, type TranslatableText, type Sentence } from './sentence.ts'

/** The content of a mail, independent of its language. */
export interface MailContent {
  subject: TranslatableText
  /** Own words have no other place, so they never pass for a subject of ours. */
  paragraphs: readonly (TranslatableText | OwnWords)[]
  /** A code or an amount, shown large. */
  highlight?: string
  /** A link shown as a button, and what it does. Only in the mail. */
  action?: { label: TranslatableText; address: string; note: TranslatableText }
  /** Name–value pairs. String values are the same in every language. */
  facts?: readonly (readonly [TranslatableText, Fact])[]
}

type Fact = string | number | Date | Sentence

/** Translates a content. Times among the facts are shown to the second, unless `showTime` says otherwise. */
export function translateContent(
  language: Language,
  { subject, paragraphs, facts = [] }: Pick<MailContent, 'subject' | 'paragraphs' | 'facts'>,
  showTime = formatTime[language].instant,
) {
  const words = (said: TranslatableText | OwnWords) => inLanguage(language, said)
  const show = (value: Fact) => {
    if (value instanceof Date) return showTime(value)
    return typeof value === 'object' ? words(value) : String(value)
  }
  return {
    subject: words(subject),
    paragraphs: paragraphs.map(words),
    facts: facts.map(([name, value]): [string, string] => [words(name), show(value)]),
  }
}

/** Renders a mail in its recipient's language. */
export const writeMail = (
  { email, language }: Recipient,
  config: Pick<Config, 'BRAND_NAME' | 'SUPPORT_EMAIL'>,
  content: MailContent,
): Mail =>
  composeMail(email, {
    ...(content.highlight !== undefined && { highlight: content.highlight }),
    ...(content.action && {
      action: {
        label: inLanguage(language, content.action.label),
        address: content.action.address,
        note: inLanguage(language, content.action.note),
      },
    }),
    ...translateContent(language, content),
    language,
    brandName: config.BRAND_NAME,
    supportEmail: config.SUPPORT_EMAIL,
  })
