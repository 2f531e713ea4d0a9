import { createHash } from 'node:crypto'
import type { InboxTopic } from '#shared/contract/inbox.ts'
import type { Language } from '#shared/languages.ts'
import { inLanguage, type Sentence, type TranslatableText } from '#api/platform/mail/sentence.ts'
import { readContent, type StoredContent } from '#api/platform/mail/storedContent.ts'
import { formatTime } from '#api/platform/mail/formatTime.ts'
import { translateContent } from '#api/platform/mail/writeMail.ts'

interface PushedMessage {
  topic: InboxTopic
  cause: string
  content: StoredContent
  link: string | null
}

interface PushRecipient {
  language: Language
  /** Whether amounts may be shown on the lock screen. */
  showsDetails: boolean
  unread: number
  /** The base URL of the site. */
  site: string
}

/** Push services limit an encrypted message to 4096 bytes; Korean takes three bytes a letter. */
const MAX_BODY_LENGTH = 400

/**
 * The message in the format of Declarative Web Push, which Safari shows by itself and the service worker reads elsewhere. `minimal`
 * fits every push service.
 */
export function describePush(
  { topic, cause, content, link }: PushedMessage,
  { language, showsDetails, unread, site }: PushRecipient,
): { payload: string; minimal: string; topic: string } {
  const tag = createHash('sha256').update(cause).digest('base64url').slice(0, 32)
  const write = (texts: { title: string; body?: string }) =>
    JSON.stringify({
      web_push: 8030,
      notification: { ...texts, lang: language, navigate: site + (link ?? '/inbox'), tag, app_badge: String(unread) },
      app_badge: unread,
    })
  const minimal = write({ title: inLanguage(language, discreetTitle(content, topic)) })
  if (!showsDetails) return { payload: minimal, minimal, topic: tag }
  const { subject, paragraphs } = translateContent(language, readContent(content), formatTime[language].minute)
  const body = paragraphs.join(' ')
  const shown = body.length > MAX_BODY_LENGTH ? `${body.slice(0, MAX_BODY_LENGTH)}…` : body
  return { payload: write({ title: subject, body: shown }), minimal, topic: tag }
}

/** A title without amounts, addresses and numbers of nodes. */
function discreetTitle({ subject: { text, values } }: StoredContent, topic: InboxTopic): TranslatableText {
  const known = discreetTitles[text]
  if (known) return known
  return Object.keys(values).length === 0 && !/\d/.test(text) ? { text, values: undefined } : topicTitles[topic]
}

const discreetTitles: Partial<Record<Sentence['text'], TranslatableText>> = {
  '1 node is yours: your purchase is confirmed': 'Your purchase is confirmed',
  '{count} nodes are yours: your purchase is confirmed': 'Your purchase is confirmed',
  'Your purchase of {nodes} was cancelled': 'Your purchase was cancelled',
  'Your purchase of {nodes} was rejected': 'Your purchase was rejected',
  'Your purchase of {nodes} was closed': 'Your purchase was closed',
  'Your payment of {amount} USDT was found': 'Your payment was found',
  'Your payment of {amount} USDT is confirmed': 'Your payment is confirmed',
  'A payment of {amount} USDT for your purchase is confirmed': 'Your payment is confirmed',
  'Your payment of {amount} USDT waits for our team': 'Your payment waits for our team',
  'Your payment of {amount} USDT was used for another account': 'Your payment was used for another account',
  'Your payment of {amount} USDT was not used': 'Your payment was not used',
  '{amount} USDT was sent back to you': 'Your payment was sent back',
  '1 bonus node is yours': 'You received bonus nodes',
  '{count} bonus nodes are yours': 'You received bonus nodes',
  'Withdrawal of {amount} XCR requested': 'Your withdrawal was requested',
  'Withdrawal cancelled: {amount} XCR returned': 'Your withdrawal was cancelled',
  '{amount} XCR was paid to your wallet': 'Your withdrawal was sent',
  'Your withdrawal was not paid: {amount} XCR returned': 'Your withdrawal was not paid',
}

/** For every other subject with a value. */
const topicTitles: Record<InboxTopic, TranslatableText> = {
  nodes: 'There is news about your nodes',
  payments: 'There is news about your payments',
  withdrawals: 'There is news about your withdrawals',
  rewards: 'Your daily reward was paid',
  news: 'There is a message from our team',
  security: 'There is news about the security of your account',
}
