import { sql } from '#api/platform/db/sql.ts'
import type { Check } from '../Check.ts'

/** decisions/0035. A passkey that was disabled because it was copied may leave one; an administrator then adds another. */
export const administratorPasskeys: Check = {
  name: 'Every administrator who logs in without codes has two passkeys',
  async run(em) {
    const rows = await sql<{ difference: string }>(
      em,
      `select 'administrator ' || username || ' logs in without codes and has ' || count(*) filter (where p.disabled_at is null) || ' usable passkeys' as difference
       from administrators a join passkeys p on p.administrator_id = a.id
       where a.otp_secret is null and a.removed_at is null
       group by a.id
       having count(*) > 1 and count(*) filter (where p.disabled_at is null) < 2
       order by 1`,
    )
    return rows.map(({ difference }) => difference)
  },
}
