import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
// SQL as text: a list of figures, each one line of SQL that an operator can run by hand; some read the tables of pg-boss.
import { sql } from '#api/platform/db/sql.ts'
import { readLeaders } from './health/leaderHealth.ts'
import type { Services } from '#api/platform/services.ts'

/** One figure of the installation, the same in every process. */
export interface Measure {
  name: string
  help: string
  labels: Record<string, string>
  value: number
}

interface Row {
  label: string | null
  value: string | number | null
}

/** Returns one figure per row; `label` is the value of the only label. */
interface Source {
  name: string
  help: string
  label?: string
  text: string
  parameters?: unknown[]
}

const age = (column: string) => `extract(epoch from now() - ${column})`

const sources: Source[] = [
  {
    name: 'xcr_nodes',
    help: 'Nodes: total, sold, granted as a bonus, and reserved.',
    label: 'state',
    text: `select label, value from supply,
      lateral (values ('total', total), ('paid', paid), ('bonus', bonus), ('reserved', reserved)) each (label, value)`,
  },
  {
    name: 'xcr_purchases',
    help: 'Open purchases by status, and confirmed purchases.',
    label: 'status',
    text: `select status as label, count(*) as value from purchases where status in ('reserved', 'pending') group by status
      union all select 'manual_review', count(*) from purchases where status = 'manual_review'
      union all select 'confirmed', coalesce(sum(rows), 0) from daily_totals where subject = 'sales'`,
  },
  {
    name: 'xcr_deposits',
    help: 'Deposits by state.',
    label: 'state',
    text: 'select state as label, count(*) as value from deposits group by state',
  },
  {
    name: 'xcr_deposit_review_oldest_seconds',
    help: 'Waiting time of the oldest deposit in manual review.',
    text: `select null as label, ${age('min(first_seen_at)')} as value from deposits where state = 'review'`,
  },
  {
    name: 'xcr_payouts',
    help: 'Payouts by state.',
    label: 'state',
    text: 'select state as label, count(*) as value from payouts group by state',
  },
  {
    name: 'xcr_withdrawals',
    help: 'Open withdrawals by status.',
    label: 'status',
    text: `select status as label, count(*) as value from withdrawals where status in ('pending', 'processing', 'manual_review') group by status`,
  },
  {
    name: 'xcr_withdrawal_oldest_seconds',
    help: 'Waiting time of the oldest unsigned withdrawal.',
    text: `select null as label, ${age('min(created_at)')} as value from withdrawals where status = 'pending'`,
  },
  {
    name: 'xcr_payouts_stopped',
    help: 'Whether payouts are stopped until an operator resumes them.',
    text: 'select null as label, count(*) as value from payout_wallets where stopped_because is not null',
  },
  {
    name: 'xcr_payouts_capped',
    help: 'Whether withdrawals wait because payouts reach the cap per hour or day.',
    text: 'select null as label, count(*) as value from payout_wallets where capped_since is not null',
  },
  {
    name: 'xcr_payouts_signed_xcr',
    help: 'XCR that payouts signed within the last hour and day.',
    label: 'period',
    text: `select period as label, coalesce(sum(amount), 0) / 1e18 as value
      from (values ('hour', interval '1 hour'), ('day', interval '1 day')) each (period, length)
      left join payouts on signed_at > now() - length and state in ('sent', 'paid', 'lost') group by period`,
  },
  {
    name: 'xcr_watcher_lag_blocks',
    help: 'Blocks of the payment chain that the watcher has not read yet.',
    text: `select null as label, greatest(0, head_number - coalesce(
        (select max(number) from chain_blocks where chain_id = progress.chain_id), verified_number)) as value
      from chain_progress progress where chain_id = $1`,
    parameters: [PAYMENT_CHAIN_ID],
  },
  {
    name: 'xcr_watcher_block_age_seconds',
    help: 'Age of the newest block that the watcher has read.',
    text: `select null as label, ${age('max(time)')} as value from chain_blocks where chain_id = $1`,
    parameters: [PAYMENT_CHAIN_ID],
  },
  {
    name: 'xcr_task_age_seconds',
    help: 'Time since the last completed run of a scheduled task.',
    label: 'task',
    text: `select name as label, ${age('finished_at')} as value from sweep_runs where finished_at is not null`,
  },
  {
    name: 'xcr_task_failing',
    help: 'Whether the last run of a scheduled task failed.',
    label: 'task',
    text: `select name as label, (failed_at is not null and failed_at > coalesce(finished_at, '-infinity'))::int as value from sweep_runs`,
  },
  {
    name: 'xcr_jobs_waiting',
    help: 'Jobs waiting for a worker.',
    label: 'queue',
    text: `select q.name as label, count(j.name) as value from pgboss.queue q
      left join pgboss.job j on j.name = q.name and j.state < 'active' group by q.name`,
  },
  {
    name: 'xcr_job_oldest_seconds',
    help: 'Waiting time of the oldest job.',
    label: 'queue',
    text: `select name as label, ${age('min(created_on)')} as value from pgboss.job where state < 'active' group by name`,
  },
  {
    name: 'xcr_mail_oldest_seconds',
    help: 'Waiting time of the oldest unsent email, other than those whose recipient alone is refused.',
    text: `select null as label, ${age('min(created_at)')} as value from outgoing_mails where sent_at is null and attempts_end_at is null`,
  },
  {
    name: 'xcr_audit_age_seconds',
    help: 'Time since the last audit.',
    text: `select null as label, ${age('max(at)')} as value from audit_runs`,
  },
  {
    name: 'xcr_audit_differences',
    help: 'Findings of the last audit.',
    text: `select null as label, jsonb_array_length(differences) as value from audit_runs order by at desc limit 1`,
  },
  {
    name: 'xcr_register_age_seconds',
    help: 'Time since the newest books of the public register, or since the first paid day while there are none.',
    text: `select null as label, ${age(`coalesce(
        (select max(appended_at) from register_entries where kind = 'books'), (select min(paid_at) from reward_runs))`)} as value
      from register_entries where index = 0`,
  },
  {
    name: 'xcr_register_anchored',
    help: 'Whether a final anchor covers the newest books of the public register. Absent without an anchor contract.',
    text: `select null as label, (coalesce((select max(size) from register_anchors), 0) > books.index)::int as value
      from (select max(index) as index from register_entries where kind = 'books') books
      where books.index is not null and exists (select from register_entries
        where kind = 'genesis' and text not like '%\nanchor -\n%' or kind = 'address' and text like '%\nrole anchor\n%')`,
  },
  {
    name: 'xcr_register_stopped',
    help: 'Whether the public register publishes no days: an anchored root is foreign, an equation is false, or a chain cannot be read.',
    text: `select null as label, (stopped_because is not null or held_since is not null)::int as value from register_state`,
  },
  {
    name: 'xcr_changes_waiting',
    help: 'Changes not yet published to open pages.',
    text: 'select null as label, count(*) as value from (select from change_events limit 10001) waiting',
  },
]

/** The names of all figures, whether or not there is something to measure. */
export const measureNames: readonly string[] = [...sources.map(({ name }) => name), 'xcr_leader']

const STATEMENT_TIMEOUT = '4s'

/** The figures in the database, read in one transaction: it needs one connection and works through a pooler. */
export function readMeasures({ orm }: Pick<Services, 'orm'>): Promise<Measure[]> {
  return orm.em.fork().transactional(async (em) => {
    await sql(em, `set local statement_timeout = '${STATEMENT_TIMEOUT}'`)
    const measures: Measure[] = []
    for (const source of sources) measures.push(...(await readSource(em, source)))
    for (const { role, is_held } of await readLeaders(em)) {
      measures.push({ name: 'xcr_leader', help: 'Whether a process leads.', labels: { role }, value: Number(is_held) })
    }
    return measures
  })
}

async function readSource(em: EntityManager, { name, help, label, text, parameters }: Source): Promise<Measure[]> {
  const rows = await sql<Row>(em, text, parameters)
  // A missing age means that nothing is waiting.
  const known = rows.flatMap(({ label, value }) => (value === null ? [] : [{ of: label ?? '', value: Number(value) }]))
  return known.map(({ of, value }) => ({ name, help, labels: label ? { [label]: of } : {}, value }))
}
