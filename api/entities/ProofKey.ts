import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/**
 * A secret from which everything that the public register says of an account is derived. Replaced keys stay, because they open what was
 * published before.
 */
export const ProofKeySchema = defineEntity({
  name: 'ProofKey',
  tableName: 'proof_keys',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().deleteRule('restrict'),
    /** From 0 on without a gap for each account. The highest is in force. */
    position: p.integer(),
    /** 32 bytes, encrypted. */
    secret: p.text(),
    /** The hash of the e-mail that the account had. Another e-mail needs another key, because a receipt binds both. */
    emailHash: p.blob(),
    /** Names the account in receipts. */
    accountHash: p.blob(),
    /** Real time. */
    createdAt: instantColumn(),
  },
  uniques: [{ properties: ['user', 'position'] }],
})

export class ProofKey extends ProofKeySchema.class {}
ProofKeySchema.setClass(ProofKey)
