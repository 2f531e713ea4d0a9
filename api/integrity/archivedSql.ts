/** SQL: the day from which the ledger and the distributions have rows of their own; everything before is archived (decision 47). */
export const ARCHIVED_BEFORE = `coalesce((select max(month) + interval '1 month' from archived_months)::date, '-infinity'::date)`
/** SQL: its midnight. */
export const ARCHIVED_UNTIL = `(${ARCHIVED_BEFORE}::timestamp at time zone 'UTC')`

/** SQL: what the archived months sum up to for each account. */
export const CARRIED = `(select account_id, moved, distributed from carried_sums where month = (select max(month) from archived_months))`
