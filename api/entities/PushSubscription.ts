import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/** Where a browser of an account receives push messages. It hears while its session's row exists, even an expired one (decisions/0037). */
export const PushSubscriptionSchema = defineEntity({
  name: 'PushSubscription',
  tableName: 'push_subscriptions',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().deleteRule('restrict').index(),
    /** The key of the session that it belongs to. */
    sessionKey: p.uuid().unique(),
    endpoint: p.text().unique(),
    /** The browser's public key and secret, base64url. */
    p256dh: p.string().length(87),
    auth: p.string().length(22),
    /** Whether notifications show amounts. */
    showsDetails: p.boolean().default(false),
    createdAt: instantColumn(),
    /** When the browser last confirmed it. */
    lastSeenAt: instantColumn(),
  },
})

export class PushSubscription extends PushSubscriptionSchema.class {}
PushSubscriptionSchema.setClass(PushSubscription)
