import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

export const receiptKinds = ['account', 'nodes', 'withdrawal'] as const

/** A receipt of the public register, written in the transaction of its cause and signed later by a job. */
export const RegisterReceiptSchema = defineEntity({
  name: 'RegisterReceipt',
  tableName: 'register_receipts',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().deleteRule('restrict'),
    kind: p.enum(receiptKinds),
    /** `key:<account>:<position>`, `purchase:<id>` or `withdrawal:<id>`. Each cause has one receipt. */
    cause: p.text().unique(),
    /** The account as the receipt names it, by the key in force at the cause. */
    accountHash: p.blob(),
    /** What the receipt states (`ReceiptFacts`). */
    facts: p.json(),
    /** The mail that waits for the signature, to which the receipt is added. */
    mailId: p.uuid().nullable(),
    /** Real time. */
    createdAt: instantColumn(),
    /** The signed note; null until it is signed. */
    note: p.text().nullable(),
    /** Its place among the account's signed receipts, from 0 on without a gap. */
    position: p.integer().nullable(),
  },
  uniques: [{ properties: ['user', 'position'] }],
  checks: [{ name: 'register_receipts_signed', expression: '(note is null) = (position is null)' }],
  indexes: [
    {
      name: 'register_receipts_unsigned',
      expression: 'create index register_receipts_unsigned on register_receipts (created_at) where note is null',
    },
  ],
})

export class RegisterReceipt extends RegisterReceiptSchema.class {}
RegisterReceiptSchema.setClass(RegisterReceipt)
