import { Migration } from '@mikro-orm/migrations'

/** What each kind of node adds to its owner's count. */
const added = (rows: string, sign: '' | '-') =>
  `select user_id, ${sign}count(*) filter (where kind = 'paid') as paid, ${sign}count(*) filter (where kind = 'bonus') as bonus
   from ${rows} group by user_id`

const add = (rows: string, sign: '' | '-') =>
  `update node_counts c set paid = c.paid + d.paid, bonus = c.bonus + d.bonus from (${added(rows, sign)}) d where c.user_id = d.user_id;`

/** The nodes of each account, counted by triggers: whoever gives or takes nodes holds the supply row, so nobody waits for them. */
export class Migration20261120140000_node_counts extends Migration {
  override up(): void {
    this.addSql(
      `create table "node_counts" ("user_id" uuid not null, "paid" int not null default 0, "bonus" int not null default 0, "pending" int generated always as (greatest(paid / 10 - bonus, 0)) stored not null, primary key ("user_id"));`,
    )
    this.addSql(
      `alter table "node_counts" add constraint "node_counts_user_id_foreign" foreign key ("user_id") references "users" ("id") on update cascade on delete cascade;`,
    )

    this.addSql(
      `create function count_node_owners() returns trigger language plpgsql as \$\$
       begin
         insert into node_counts (user_id) select id from added;
         return null;
       end \$\$;`,
    )
    this.addSql(
      `create trigger count_node_owners after insert on users referencing new table as added for each statement execute function count_node_owners();`,
    )
    this.addSql(
      `create function count_nodes() returns trigger language plpgsql as \$\$
       begin
         if tg_op = 'INSERT' then ${add('added', '')}
         elsif tg_op = 'DELETE' then ${add('removed', '-')}
         else update node_counts set paid = 0, bonus = 0;
         end if;
         return null;
       end \$\$;`,
    )
    const execute = 'for each statement execute function count_nodes();'
    this.addSql(`create trigger count_inserted after insert on nodes referencing new table as added ${execute}`)
    this.addSql(`create trigger count_deleted after delete on nodes referencing old table as removed ${execute}`)
    this.addSql(`create trigger count_truncated after truncate on nodes ${execute}`)

    this.addSql(`insert into node_counts (user_id) select id from users;`)
    this.addSql(add('nodes', ''))
    this.addSql(`create index node_counts_pending on node_counts (pending desc, paid desc, user_id);`)
  }

  override down(): void {
    this.addSql(`drop function count_nodes() cascade;`)
    this.addSql(`drop function count_node_owners() cascade;`)
    this.addSql(`drop table "node_counts";`)
  }
}
