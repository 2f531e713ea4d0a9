import type { EntityManager } from '@mikro-orm/postgresql'
import { type InboxTopic, type MessageChoices, REQUIRED_TOPIC, type updateMessageChoices } from '#shared/contract/inbox.ts'
import type { Input } from '#shared/contract/endpoint.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'

type Channels = MessageChoices[InboxTopic]

/**
 * Every reward is in the history already, so messages about them are for those who ask for them. News is mailed only to those who ask
 * for it.
 */
const defaultsOf = (topic: InboxTopic): Channels => ({
  inbox: topic !== 'rewards',
  mail: topic !== 'rewards' && topic !== 'news',
  push: topic !== 'rewards',
})

/** Null where the account has not chosen. */
type Chosen = { [Channel in keyof Channels]: boolean | null }

function withDefaults(topic: InboxTopic, chosen: Chosen | undefined): Channels {
  const defaults = defaultsOf(topic)
  return {
    inbox: chosen?.inbox ?? defaults.inbox,
    mail: chosen?.mail ?? defaults.mail,
    push: chosen?.push ?? defaults.push,
  }
}

/** Where the accounts want the messages of a topic. */
export async function readChoices(
  em: EntityManager,
  { topic, userIds }: { topic: InboxTopic; userIds: readonly string[] },
): Promise<(userId: string) => Channels> {
  if (topic === REQUIRED_TOPIC) return () => ({ inbox: true, mail: true, push: true })
  const rows = await query(em)
    .selectFrom('message_choices')
    .select(['user', 'inbox', 'mail', 'push'])
    .where('topic', '=', topic)
    .where((eb) => eb('user', '=', eb.fn.any(eb.val([...userIds]))))
    .execute()
  const chosen = new Map(rows.map(({ user, ...channels }) => [user, channels]))
  return (userId) => withDefaults(topic, chosen.get(userId))
}

/** Where an account wants the messages of each topic. */
export async function listChoices(em: EntityManager, userId: string): Promise<MessageChoices> {
  const rows = await query(em)
    .selectFrom('message_choices')
    .select(['topic', 'inbox', 'mail', 'push'])
    .where('user', '=', userId)
    .execute()
  const { wantsRewardDigest } = await query(em)
    .selectFrom('users')
    .select('wantsRewardDigest')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const choiceOf = (topic: InboxTopic): Channels => {
    const channels = withDefaults(
      topic,
      rows.find((row) => row.topic === topic),
    )
    return topic === 'rewards' ? { ...channels, mail: wantsRewardDigest } : channels
  }
  return {
    nodes: choiceOf('nodes'),
    payments: choiceOf('payments'),
    withdrawals: choiceOf('withdrawals'),
    rewards: choiceOf('rewards'),
    news: choiceOf('news'),
    security: choiceOf('security'),
  }
}

/** Changes the given channels of a topic. */
export async function changeChoice(
  em: EntityManager,
  { userId, topic, inbox, mail, push }: Input<typeof updateMessageChoices>['body'] & { userId: string },
): Promise<void> {
  if (topic === 'rewards' && mail !== undefined)
    await query(em).updateTable('users').set({ wantsRewardDigest: mail }).where('id', '=', userId).execute()
  const chosen = {
    ...(inbox !== undefined && { inbox }),
    ...(mail !== undefined && topic !== 'rewards' && { mail }),
    ...(push !== undefined && { push }),
  }
  if (Object.keys(chosen).length === 0) return
  await query(em)
    .insertInto('message_choices')
    .values({ id: newId(), user: userId, topic, ...chosen })
    .onConflict((conflict) => conflict.columns(['user', 'topic']).doUpdateSet(chosen))
    .execute()
}
