import { Migration } from '@mikro-orm/migrations'

const appendOnly = ['deposit_decisions', 'register_checkpoints', 'register_days', 'register_entries', 'register_groups']

/** The columns of a deposit that a decision records. */
const facts =
  'transaction_hash, ordinal, sender, amount, block_number, block_time, log_index, state, review_reason, state_before_orphaned, purchase_id, user_id, refund_hash, refund_ordinal, refunded_amount'
const factsOf = (row: string) => facts.replaceAll(/\w+/g, (column) => `${row}.${column}`)

/**
 * The public register: its log, days, checkpoints and groups, and the history of the decisions on deposits, which the register publishes
 * and the deposits' rows do not keep.
 */
export class Migration20261123181700_register extends Migration {
  override up(): void {
    this.addSql(
      `create table "deposit_decisions" ("id" bigserial primary key, "deposit_id" uuid not null, "decided_at" timestamptz(3) not null, "transaction_hash" varchar(66) not null, "ordinal" int not null, "sender" varchar(42) not null, "amount" numeric(78, 0) not null, "block_number" bigint null, "block_time" timestamptz(3) null, "log_index" int null, "state" text not null, "review_reason" text null, "state_before_orphaned" text null, "purchase_id" uuid null, "user_id" uuid null, "refund_hash" varchar(66) null, "refund_ordinal" int null, "refunded_amount" numeric(78, 0) null);`,
    )
    this.addSql(`create index "deposit_decisions_deposit_id_index" on "deposit_decisions" ("deposit_id");`)
    this.addSql(
      `create table "register_checkpoints" ("size" int not null, "root" bytea not null, "subtrees" bytea not null, "note" text not null, "created_at" timestamptz(3) not null, primary key ("size"));`,
    )
    this.addSql(
      `create table "register_days" ("day" date not null, "supply" int not null, "root" bytea not null, "leaves" bytea not null, "block_hashes" bytea not null, primary key ("day"));`,
    )
    // The leaves are hashes, which do not compress; uncompressed, a range of them is read without the rest.
    this.addSql(`alter table register_days alter column leaves set storage external;`)
    this.addSql(
      `create table "register_entries" ("index" int not null, "kind" varchar(20) not null, "text" text not null, "leaf_hash" bytea not null, "subject" text null, "identity" text null, "user_id" uuid null, "appended_at" timestamptz(3) not null, primary key ("index"));`,
    )
    this.addSql(`alter table "register_entries" add constraint "register_entries_subject_unique" unique ("subject");`)
    this.addSql(`create index register_entries_identity on register_entries (identity, index) where identity is not null;`)
    this.addSql(`create index register_entries_user on register_entries (user_id, index) where user_id is not null;`)
    this.addSql(`create index register_entries_kind on register_entries (kind, index);`)
    this.addSql(
      `create table "register_groups" ("id" int not null, "purchase_id" uuid not null, "kind" text not null, primary key ("id"));`,
    )
    this.addSql(`alter table "register_groups" add constraint "register_groups_purchase_id_unique" unique ("purchase_id");`)
    this.addSql(
      `alter table "register_groups" add constraint "register_groups_kind_check" check ("kind" in ('paid', 'bonus', 'granted'));`,
    )
    this.addSql(
      `create table "register_state" ("id" int not null, "stopped_because" text null, "stopped_at" timestamptz(3) null, "held_equation" varchar(2) null, "held_because" text null, "held_since" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`alter table "register_state" add constraint "register_state_one_row" check (id = 1);`)
    this.addSql(`insert into register_state (id) values (1);`)

    const states = `('seen', 'matched', 'review', 'ignored', 'assigned', 'refunded', 'orphaned')`
    this.addSql(
      `alter table "deposit_decisions" add constraint "deposit_decisions_state_check" check ("state" in ${states}), add constraint "deposit_decisions_state_before_orphaned_check" check ("state_before_orphaned" in ${states}), add constraint "deposit_decisions_review_reason_check" check ("review_reason" in ('underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched'));`,
    )
    for (const table of appendOnly)
      this.addSql(
        `create trigger refuse_change before update or delete or truncate on ${table} for each statement execute function refuse_change();`,
      )

    this.recordEarlierDecisions()

    // It runs as the owner of the tables, so that it also records for a release that does not know the table and has no rights to it.
    this.addSql(
      `create function record_deposit_decision() returns trigger language plpgsql security definer set search_path = public, pg_temp as \$\$
       begin
         insert into deposit_decisions (deposit_id, decided_at, ${facts}) values (new.id, clock_timestamp(), ${factsOf('new')});
         return null;
       end \$\$;`,
    )
    this.addSql(
      `create trigger record_decision after insert on deposits for each row when (new.state <> 'seen' and new.amount > 0)
       execute function record_deposit_decision();`,
    )
    this.addSql(
      `create trigger record_changed_decision after update on deposits for each row
       when ((old.state <> 'seen' or new.state <> 'seen') and (old.amount > 0 or new.amount > 0) and (${factsOf('old')}) is distinct from (${factsOf('new')}))
       execute function record_deposit_decision();`,
    )
  }

  /** Deposits that were orphaned for some days have three decisions; the times follow from the days that their nodes were skipped. */
  private recordEarlierDecisions(): void {
    const recorded = factsOf('d')
      .replace('d.state,', 'step.state,')
      .replace('d.state_before_orphaned', 'step.state_before_orphaned')
    this.addSql(
      `insert into deposit_decisions (deposit_id, decided_at, ${facts})
       select d.id, step.decided_at, ${recorded}
       from deposits d
       left join lateral (
         select min(r.paid_at) as first_at, max(r.paid_at) as last_at
         from nodes n join reward_skips s on s.node_number = n.number join reward_runs r on r.day = s.day
         where n.purchase_id = d.purchase_id and coalesce(d.state_before_orphaned, d.state) in ('matched', 'assigned')
       ) skipped on true
       cross join lateral (
         select 1 as place, coalesce(d.closed_at, d.block_time, d.first_seen_at) as decided_at, d.state, null::text as state_before_orphaned
         where d.state_before_orphaned is null
         union all
         select 2, skipped.first_at, 'orphaned', d.state where d.state_before_orphaned is null and skipped.first_at is not null
         union all
         select 3, case when d.state_before_orphaned is null then skipped.last_at else coalesce(skipped.first_at, now()) end, d.state, d.state_before_orphaned
         where d.state_before_orphaned is not null or skipped.last_at is not null
       ) step
       where d.state <> 'seen' and d.amount > 0
       order by step.decided_at, d.id, step.place;`,
    )
  }

  override down(): void {
    this.addSql(`drop trigger record_decision on deposits;`)
    this.addSql(`drop trigger record_changed_decision on deposits;`)
    this.addSql(`drop function record_deposit_decision();`)
    for (const table of ['register_state', ...appendOnly]) this.addSql(`drop table "${table}";`)
  }
}
