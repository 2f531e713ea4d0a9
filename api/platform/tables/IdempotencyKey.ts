import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '../db/columns.ts'

/** The stored response of a request, written in the transaction of its effect. Kept for 24 hours. */
export const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    accountId: p.uuid().primary(),
    endpoint: p.string().length(100).primary(),
    key: p.string().length(200).primary(),
    /** SHA-256 of the body. Reusing a key with another body is a client error. */
    bodyHash: p.string().length(64),
    response: p.json<unknown>(),
    createdAt: instantColumn().index(),
  },
})

export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey)
