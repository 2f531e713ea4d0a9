import { sessionKeyOf, userIdOf, walletOf } from './prepareBuyers.ts'

/**
 * A pgbench script with the statements of `reserveNodes` for one buyer per transaction. Each client has separate buyers.
 */
export const reservationScript = ({ clients, depositAddress }: { clients: number; depositAddress: string }): string => {
  const user = userIdOf(':n::int')
  const session = sessionKeyOf(':n::int')
  return `
\\set i :i + 1
\\set n (:i - 1) * ${clients} + :client_id + 1
begin;
with marks as materialized (
  select id, user_id from step_up_marks where user_id = ${user} and session_key = ${session}
    and consumed_at is null and granted_at > now() - interval '30 minutes' order by id for update
), open as materialized (
  select from purchases where user_id = ${user} and status = 'reserved' and (select count(*) from marks) >= 0 order by id for update
), supply as materialized (
  select total - paid - bonus - reserved as remaining from supply where id = 1 and (select count(*) from open) >= 0 for update
)
select remaining, marks.id as mark_id from supply left join marks on true;
select u.id, u.wallet_address, u.otp_enabled_at is not null as otp_enabled, u.reservations_paused_until, p.id as open, k.response
  from users u
  left join lateral (select id from purchases where user_id = u.id and status = 'reserved' limit 1 for update) p on true
  left join lateral (
    select response from idempotency_keys
    where account_id = u.id and endpoint = 'POST /api/node-purchase/reservation' and key = :n::text limit 1
  ) k on true
  where u.id = ${user};
select distinct on (key) key, value from setting_changes where effective_at <= now() order by key, effective_at desc, id desc;
with held as (
  update supply set reserved = reserved + 1 where id = 1
), used as (
  update step_up_marks set consumed_at = now() where user_id = ${user} and session_key = ${session} and consumed_at is null
), answered as (
  insert into idempotency_keys (account_id, endpoint, key, body_hash, response, created_at)
  values (${user}, 'POST /api/node-purchase/reservation', :n::text, repeat('0', 64), '{"requestedQuantity":1}', now())
), told as (
  insert into change_events (user_id, keys)
  values (${user}, array['/api/node-purchase/reservation']), (null, array['/api/stats/nodes'])
)
insert into purchases (id, user_id, status, requested_quantity, unit_price, amount, wallet, deposit_address, held_quantity,
  created_at, opened_at, expires_at)
values (uuidv7(), ${user}, 'reserved', 1, 3000000000000000000, 3000000000000000000, ${walletOf(':n::int')}, '${depositAddress}', 1,
  now(), now(), now() + interval '30 minutes');
commit;
`
}
