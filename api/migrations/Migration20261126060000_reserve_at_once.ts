import { Migration } from '@mikro-orm/migrations'

/** The supply is locked for one statement, not for as long as a busy process takes to read and write (decision 50). */
export class Migration20261126060000_reserve_at_once extends Migration {
  override up(): void {
    const parameters = `granted jsonb, taken int, reserved_at timestamptz, shown_at timestamptz, expiry timestamptz, recipient text,
  endpoint_name text, own_page text, public_page text`
    this.addSql(`create function write_reservations(${parameters}) returns void language sql as $$
  with made as (
    select * from jsonb_to_recordset(granted) as g (id uuid, user_id uuid, quantity int, unit_price numeric, amount numeric, wallet text,
      mark_id uuid, key text, body_hash text, response jsonb)
  ), held as (
    update supply set reserved = reserved + taken where id = 1
  ), used as (
    update step_up_marks set consumed_at = reserved_at where id in (select mark_id from made)
  ), answered as (
    insert into idempotency_keys (account_id, endpoint, key, body_hash, response, created_at)
    select user_id, endpoint_name, key, body_hash, response, reserved_at from made where key is not null
  ), told as (
    insert into change_events (user_id, keys) select user_id, array[own_page] from made union all select null, array[public_page]
  )
  insert into purchases (id, user_id, status, requested_quantity, unit_price, amount, wallet, deposit_address, held_quantity, created_at,
    opened_at, expires_at)
  select id, user_id, 'reserved', quantity, unit_price, amount, wallet, recipient, quantity, shown_at, reserved_at, expiry from made
$$;`)
    // Marks before supply: the order of money.md 15.
    this.addSql(`create function reserve_at_once(${parameters}) returns int language plpgsql as $$
declare
  marks int;
  remaining int;
begin
  perform from step_up_marks where id in (select mark_id from jsonb_to_recordset(granted) as g (mark_id uuid)) and consumed_at is null
    order by id for update;
  get diagnostics marks = row_count;
  select total - paid - bonus - reserved into remaining from supply where id = 1 for update;
  -- A statement of its own: it sees everything that was committed before the supply was locked.
  if marks < jsonb_array_length(granted) or remaining < taken or exists (
    select from jsonb_to_recordset(granted) as g (user_id uuid, wallet text, key text) join users u on u.id = g.user_id
    where u.wallet_address is distinct from g.wallet
      or exists (select from purchases p where p.user_id = g.user_id and (p.held_quantity > 0 or p.status = 'reserved'))
      or exists (select from purchases p where p.wallet = g.wallet and p.held_quantity > 0)
      or exists (select from idempotency_keys k where k.account_id = g.user_id and k.endpoint = endpoint_name and k.key = g.key)
  ) then
    return null;
  end if;
  perform write_reservations(granted, taken, reserved_at, shown_at, expiry, recipient, endpoint_name, own_page, public_page);
  return remaining - taken;
end
$$;`)
  }

  override down(): void {
    const types = 'jsonb, int, timestamptz, timestamptz, timestamptz, text, text, text, text'
    this.addSql(`drop function reserve_at_once(${types});`)
    this.addSql(`drop function write_reservations(${types});`)
  }
}
