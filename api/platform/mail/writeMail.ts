import type { Config } from '../config.ts'
import { composeMail } from './composeMail.ts'
import { formatTime } from './formatTime.ts'
import type { Mail } from './mailTransport.ts'
import type { Recipient } from './Recipient.ts'
import { inLanguage, type TranslatableText, type Sentence } from './sentence.ts'

/** The content of a mail, independent of its language. */
export interface MailContent {
  subject: TranslatableText
  paragraphs: readonly TranslatableText[]
  /** A code or an amount, shown large. */
  highlight?: string
  /** Name–value pairs. String values are the same in every language. */
  facts?: readonly (readonly [TranslatableText, string | Date | Sentence])[]
}

/** Renders a mail in its recipient's language. */
export function writeMail(
  { email, language }: Recipient,
  config: Pick<Config, 'BRAND_NAME' | 'SUPPORT_EMAIL'>,
  { subject, paragraphs, facts = [], ...content }: MailContent,
): Mail {
  const words = (said: TranslatableText) => inLanguage(language, said)
  const show = (value: string | Date | Sentence) =>
    typeof value === 'string' ? value : value instanceof Date ? formatTime[language].instant(value) : words(value)
  return composeMail(email, {
    ...content,
    language,
    brandName: config.BRAND_NAME,
    supportEmail: config.SUPPORT_EMAIL,
    subject: words(subject),
    paragraphs: paragraphs.map(words),
    facts: facts.map(([name, value]) => [words(name), show(value)] as const),
  })
}
