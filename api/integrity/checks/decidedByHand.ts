/** SQL that is true of a purchase `p` whose nodes a person has decided on, as the audit log says, which nobody can change. */
export const DECIDED_BY_HAND = `(p.id::text in (
  select coalesce(case when action like 'purchase.%' then substr(target, 10) else after->>'purchaseId' end, '') from audit_entries
  where action in ('purchase.approve', 'purchase.manual_confirm', 'deposit.assign', 'deposit.restore')
))`
