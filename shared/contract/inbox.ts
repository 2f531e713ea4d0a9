import { z } from 'zod'
import { instant } from '../wire/instant.ts'
import { openEnum } from '../wire/openEnum.ts'
import { endpoint } from './endpoint.ts'
import { pageQuery, pagingFields } from './paging.ts'
import { rowId } from './rowId.ts'

/** What a message is about. */
export const inboxTopics = ['nodes', 'payments', 'withdrawals', 'rewards', 'news', 'security'] as const
export type InboxTopic = (typeof inboxTopics)[number]

/** Its messages can't be switched off. */
export const REQUIRED_TOPIC = 'security'

export const inboxMessage = z.object({
  id: rowId,
  topic: openEnum(inboxTopics),
  title: z.string(),
  paragraphs: z.array(z.string()),
  /** Name–value pairs. */
  facts: z.array(z.tuple([z.string(), z.string()])),
  /** The path of the page with what the message is about. */
  link: z.string().nullable(),
  /** Product time. */
  createdAt: instant,
  isRead: z.boolean(),
})
export type InboxMessage = z.output<typeof inboxMessage>

/** The account's messages of the last year, newest first, in the language of the page. */
export const listInbox = endpoint({
  method: 'GET',
  path: '/api/inbox',
  access: 'user',
  limit: 'none',
  query: pageQuery(30),
  /** `total` is `totalCount`. Copies on devices may lack the other fields. */
  response: z.object({ messages: z.array(inboxMessage), total: z.int(), ...z.object(pagingFields).partial().shape }),
})

export const countUnread = endpoint({
  method: 'GET',
  path: '/api/inbox/unread',
  access: 'user',
  limit: 'none',
  response: z.object({ unread: z.int() }),
})

/** Marks a message and all older ones as read, so that one that arrives meanwhile stays unread. */
export const markRead = endpoint({
  method: 'POST',
  path: '/api/inbox/read',
  access: 'user',
  limit: 'none',
  body: z.object({ upTo: rowId }),
  response: z.object({ unread: z.int() }),
})

const channels = z.object({
  inbox: z.boolean(),
  mail: z.boolean(),
  /** On the account's devices that are subscribed. */
  push: z.boolean(),
})

/** Which messages an account gets where. */
export const messageChoices = z.record(z.enum(inboxTopics), channels)
export type MessageChoices = z.output<typeof messageChoices>

export const getMessageChoices = endpoint({
  method: 'GET',
  path: '/api/inbox/choices',
  access: 'user',
  limit: 'none',
  response: messageChoices,
})

/** Changes the given channels of one topic. Security can't be switched off. */
export const updateMessageChoices = endpoint({
  method: 'PATCH',
  path: '/api/inbox/choices',
  access: 'user',
  limit: 'none',
  body: channels
    .partial()
    .extend({ topic: z.enum(inboxTopics).exclude([REQUIRED_TOPIC]) })
    .refine(({ inbox, mail, push }) => [inbox, mail, push].some((choice) => choice !== undefined)),
  response: messageChoices,
})
