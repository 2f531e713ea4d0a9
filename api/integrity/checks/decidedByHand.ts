/** SQL condition: an administrator decided on the nodes of purchase `p`. It reads the audit log, which is append-only. */
export const DECIDED_BY_HAND = `(p.id::text in (
  select coalesce(case when action like 'purchase.%' then substr(target, 10) else after->>'purchaseId' end, '') from audit_entries
  where action in ('purchase.approve', 'purchase.manual_confirm', 'deposit.assign', 'deposit.restore')
))`
