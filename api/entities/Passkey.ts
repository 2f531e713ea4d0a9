import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Administrator } from './Administrator.ts'
import { User } from './User.ts'

/** A passkey (WebAuthn credential) of one account. Its rows change only under the lock of the account's row (decisions/0035). */
export const PasskeySchema = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().nullable().deleteRule('no action').index(),
    administrator: () => p.manyToOne(Administrator).ref().nullable().deleteRule('no action').index(),
    /** Chosen by the authenticator, base64url. Up to 1,023 bytes. */
    credentialId: p.string().length(1364).unique(),
    /** In COSE format, base64url. */
    publicKey: p.text(),
    /** The authenticator's count of signatures; 0 where it has none. */
    counter: p.bigint('number'),
    /** How the browser reaches the authenticator, as it said. */
    transports: p.array<string>().columnType('text[]'),
    /** Whether its owner's devices may share it, and whether they do. */
    canBeSynced: p.boolean(),
    isSynced: p.boolean(),
    /** For its owner to tell it from others. */
    name: p.string().length(60),
    /** Real time. */
    createdAt: instantColumn(),
    lastUsedAt: instantColumn().nullable(),
    /** Set when its counter did not advance: somebody has a copy. It is refused from then on. */
    disabledAt: instantColumn().nullable(),
  },
  checks: [{ name: 'passkeys_owner', expression: '(user_id is null) <> (administrator_id is null)' }],
})

export class Passkey extends PasskeySchema.class {}
PasskeySchema.setClass(Passkey)
