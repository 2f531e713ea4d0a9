import { sql } from '#api/platform/db/sql.ts'
import type { Check } from '../Check.ts'

/** The clocks of the machines that freeze and sign may differ by a few seconds. */
const CLOCK_DIFFERENCE = '10 seconds'

/** Money rule 39. */
export const freezes: Check = {
  name: 'Nothing was signed for a frozen account, and its unsigned withdrawals are on hold',
  async run(em, { now }) {
    const rows = await sql<{ difference: string }>(
      em,
      `select 'withdrawal ' || w.id || ' was signed at ' || p.signed_at || ', and its account was frozen at ' || u.frozen_at as difference
       from users u join withdrawals w on w.user_id = u.id join payouts p on p.withdrawal_id = w.id
       where p.signed_at > u.frozen_at + interval '${CLOCK_DIFFERENCE}' and (u.thaws_at is null or p.signed_at < u.thaws_at)
       union all
       select 'withdrawal ' || w.id || ' of a frozen account is pending'
       from users u join withdrawals w on w.user_id = u.id
       where u.frozen_at is not null and (u.thaws_at is null or u.thaws_at > $1::timestamptz) and w.status = 'pending'
       order by 1`,
      [now],
    )
    return rows.map(({ difference }) => difference)
  },
}
