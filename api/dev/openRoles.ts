import type pg from 'pg'
import { connectionOptions } from '#api/platform/db/connectionOptions.ts'
import { DatabaseClient } from '#api/platform/db/DatabaseClient.ts'

export interface RoleUrls {
  /** Connects as the application's role. */
  url: string
  /** Connects as the owner of the tables. */
  ownerUrl: string
}

export const OWNER = 'xcr_owner'
const APPLICATION = 'xcr'
const PASSWORD = 'xcr'

/**
 * Creates the two roles on an embedded server, as in production: the owner of the tables, and the application's role, which cannot change
 * append-only tables. Transfers the ownership of objects that an earlier release created as the superuser.
 *
 * @param adminUrl connects as the superuser.
 */
export async function openRoles(adminUrl: string): Promise<RoleUrls> {
  await createRoles(adminUrl)
  await withClient(adminUrl, (client) => client.query(TRANSFER_OWNERSHIP))
  return roleUrls(adminUrl)
}

/** Creates the missing roles on a server. */
export const createRoles = (adminUrl: string): Promise<void> =>
  withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('select rolname as name from pg_roles')
    for (const role of [OWNER, APPLICATION])
      if (!rows.some(({ name }) => name === role)) await client.query(`create role ${role} login password '${PASSWORD}'`)
  })

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new DatabaseClient(connectionOptions(url))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Returns the database's URL for each role. */
export const roleUrls = (adminUrl: string): RoleUrls => ({ url: urlOf(adminUrl, APPLICATION), ownerUrl: urlOf(adminUrl, OWNER) })

function urlOf(adminUrl: string, role: string): string {
  const url = new URL(adminUrl)
  url.username = role
  url.password = PASSWORD
  return url.href
}

/** Covers the database and all its objects except those of extensions. The schema `public` belongs to the owner of the database. */
const TRANSFER_OWNERSHIP = `
  do $$
  declare statement text;
  begin
    for statement in
      with mine as (select oid, nspname from pg_namespace where nspname in ('public', 'pgboss')),
        super as (select oid from pg_roles where rolname = current_user)
      select format('alter database %I owner to ${OWNER}', current_database())
      from pg_database, super where datname = current_database() and datdba = super.oid
      union all
      select format('alter schema %I owner to ${OWNER}', nspname) from pg_namespace n, super where nspname = 'pgboss' and nspowner = super.oid
      union all
      select format('alter table %I.%I owner to ${OWNER}', nspname, relname)
      from pg_class c join mine on mine.oid = relnamespace, super where relkind in ('r', 'p') and relowner = super.oid
      union all
      select format('alter routine %s owner to ${OWNER}', p.oid::regprocedure)
      from pg_proc p join mine on mine.oid = pronamespace, super
      where proowner = super.oid and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
      union all
      select format('alter type %I.%I owner to ${OWNER}', nspname, typname)
      from pg_type t join mine on mine.oid = typnamespace, super where typtype = 'e' and typowner = super.oid
    loop
      execute statement;
    end loop;
  end $$`
