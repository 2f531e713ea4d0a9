import type { EntityManager } from '@mikro-orm/postgresql'
import { query, type Tables } from '#api/entities/tables.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'

export interface PasskeyOwner {
  realm: SessionRealm
  id: string
}

const tables = { user: 'users', admin: 'administrators' } as const
/** The column of `passkeys` with the owner. */
export const owners = { user: 'user', admin: 'administrator' } as const satisfies Record<SessionRealm, keyof Tables['passkeys']>

/** Serializes changes of an account's passkeys. Accounts are locked before their passkeys everywhere. */
export async function lockOwner(em: EntityManager, { realm, id }: PasskeyOwner): Promise<void> {
  await query(em).selectFrom(tables[realm]).select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/** What passkeys call the account: its id as bytes, which says nothing about the owner. */
export const userHandleOf = (accountId: string): Buffer<ArrayBuffer> => Buffer.from(accountId.replaceAll('-', ''), 'hex')
