import { expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { houseAccounts } from '../ledger/houseAccounts.ts'
import { type Holders, startHolders } from '../testing/holders.ts'
import { runAudit } from '../testing/runAudit.ts'

/** Two holders and two paid days, of which nothing is wrong. */
async function setup() {
  const holders = await startHolders()
  holders.at('2027-03-01T12:00:00Z')
  const [holder, other] = [await holders.openHolder({ nodes: 2 }), await holders.openHolder({ nodes: 3, kind: 'bonus' })]
  holders.at('2027-03-03T09:00:00Z')
  await holders.pay()
  expect(await holders.differences()).toEqual([])
  return { ...holders, holder, other }
}

/** Does what the database refuses to everybody but its owner. */
async function damage({ orm }: Pick<Holders, 'orm'>, statement: string) {
  await orm.em.fork().transactional(async (em) => {
    await sql(em, `set local session_replication_role = 'replica'`)
    await sql(em, statement)
  })
}

const damages: [what: string, statement: (people: { holder: string; other: string }) => string, found: RegExp[]][] = [
  [
    'a balance that was changed',
    ({ holder }) => `update accounts set balance = balance + 1 where id = '${holder}'`,
    [/^account .* holds 40\.000000000000000001 XCR, its entries say 40 XCR$/],
  ],
  [
    'a total that was changed',
    ({ holder }) => `update accounts set total_earned = 0 where id = '${holder}'`,
    [/^account .* says 0 XCR earned, its distributions say 40 XCR$/],
  ],
  [
    'an account that is gone',
    ({ holder }) => `delete from accounts where id = '${holder}'`,
    [/has entries of 40 XCR and no account$/, /says 0 XCR earned, its distributions say 40 XCR$/],
  ],
  [
    "an account that is nobody's",
    () => `insert into accounts (id, kind) values (gen_random_uuid(), 'user')`,
    [/^account .* is of the kind user$/],
  ],
  [
    'an entry that is gone',
    ({ holder }) => `delete from ledger_entries where cause = 'distribution:2027-03-02:${holder}'`,
    [
      /^account .*001 holds -100 XCR, its entries say -80 XCR$/,
      /^account .* holds 40 XCR, its entries say 20 XCR$/,
      /^distribution:2027-03-02:.* of 20 XCR has no entry$/,
      /^user .* was paid 20 XCR, the nodes have earned 40$/,
    ],
  ],
  [
    'an entry with another amount, balances and all',
    ({ holder }) => `with e as (update ledger_entries set amount = amount + 5 where cause = 'distribution:2027-03-02:${holder}'),
      a as (update accounts set balance = balance + 5 where id = '${holder}')
      update accounts set balance = balance - 5 where id = '${houseAccounts.rewards}'`,
    [/^distribution:2027-03-02:.* is 20 XCR, its entry 20\.000000000000000005$/, /^user .* was paid 40\.000000000000000005 XCR/],
  ],
  [
    'an entry to somebody else',
    ({ holder, other }) => `update ledger_entries set to_account = '${other}' where cause = 'distribution:2027-03-02:${holder}'`,
    [
      /holds 40 XCR, its entries say 20 XCR$/,
      /holds 60 XCR, its entries say 80 XCR$/,
      /has no entry$/,
      /has no distribution$/,
      /was paid 20 XCR, the nodes have earned 40$/,
      /was paid 80 XCR, the nodes have earned 60$/,
    ],
  ],
  [
    'a reward that no distribution stands for',
    ({
      holder,
    }) => `with e as (insert into ledger_entries values ('2027-03-02', 'gift', '${houseAccounts.rewards}', '${holder}', 1, now())),
      a as (update accounts set balance = balance + 1 where id = '${holder}')
      update accounts set balance = balance - 1 where id = '${houseAccounts.rewards}'`,
    [/^the entry gift has no distribution$/, /was paid 40\.000000000000000001 XCR, the nodes have earned 40$/],
  ],
  [
    'a distribution that is gone',
    ({ holder }) => `delete from distributions where day = '2027-03-02' and user_id = '${holder}'`,
    [
      /says 40 XCR earned, its distributions say 20 XCR$/,
      /^the entry distribution:2027-03-02:.* has no distribution$/,
      /^2027-03-02 says 2 users, 5 nodes, 50000000000000000000; its distributions say 1, 3, 30000000000000000000$/,
    ],
  ],
  [
    'a distribution at another rate',
    ({ holder }) =>
      `update distributions set rate = rate / 2, active_nodes = active_nodes * 2 where day = '2027-03-02' and user_id = '${holder}'`,
    [/^2027-03-02 has distributions of another rate or time$/],
  ],
  ['a day that was left out', () => `delete from reward_runs where day = '2027-03-02'`, [/^2027-03-02 has no run$/]],
  [
    'a day that was never paid',
    () => `update reward_runs set paid_at = null where day = '2027-03-02'`,
    [/^2027-03-02 was closed and never paid$/],
  ],
  [
    'a rate that was changed afterwards',
    () =>
      `insert into setting_changes values (gen_random_uuid(), 'xcr_per_node_daily', '11', '2027-03-03T08:00Z', '2027-03-03T08:00Z')`,
    [/was paid 40 XCR, the nodes have earned 42$/, /was paid 60 XCR, the nodes have earned 63$/],
  ],
  [
    'a node that became active afterwards',
    () => `update nodes set active_from = '2027-03-02T09:00:00.001Z' where number = 1`,
    [/was paid 40 XCR, the nodes have earned 30$/],
  ],
  [
    'a node that was skipped by nobody',
    () => `insert into reward_skips values ('2027-03-03', 1)`,
    [/was paid 40 XCR, the nodes have earned 30$/],
  ],
  [
    'a node that is gone',
    () => 'delete from nodes where number = 3',
    [
      /^supply says 3 bonus nodes, the rows say 2$/,
      /is due 3 nodes and owns 2$/,
      /^account .*: the counts say 0 paid, 3 bonus, the nodes say 0 paid, 2 bonus$/,
      /was paid 60 XCR, the nodes have earned 40$/,
    ],
  ],
  ['a count of the supply', () => 'update supply set paid = paid + 1', [/^supply says 3 paid nodes, the rows say 2$/]],
  ['supply that nobody holds', () => 'update supply set reserved = 4', [/^supply says 4 held nodes, the rows say 0$/]],
  [
    "a node in somebody else's hands",
    ({ other }) => `update nodes set user_id = '${other}' where number = 1`,
    [
      /^node 1 belongs to another user than its purchase$/,
      /the counts say 2 paid, 0 bonus, the nodes say 1 paid, 0 bonus$/,
      /the counts say 0 paid, 3 bonus, the nodes say 1 paid, 3 bonus$/,
      /have earned 20$/,
      /have earned 80$/,
    ],
  ],
  [
    'a purchase that nobody has paid',
    ({ holder }) => `update purchases set amount = 6 where user_id = '${holder}'`,
    [/^purchase .* was never paid$/, /^bonuses of /, /^sales of /],
  ],
  [
    'a payment for a purchase that came to nothing, and one that went back nowhere',
    ({
      holder,
    }) => `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, state, first_seen_at, purchase_id)
      select gen_random_uuid(), 56, 'hash', place, '0x', '0x', 6, state, now(),
        case when state = 'matched' then (select id from purchases where user_id = '${holder}') end
      from unnest(array['matched', 'refunded', 'assigned']) with ordinality as s (state, place)`,
    [/^deposit .* is refunded, its purchase is none$/, /^deposit .* is assigned, its purchase is none$/],
  ],
  [
    'a count of a day',
    () => `update daily_totals set rows = rows + 1 where subject = 'users'`,
    [/^users of \d{4}-\d\d-\d\d: the totals say 4 rows, 0 nodes, 0, the rows say 2, 0, 0$/],
  ],
  [
    'a purchase that was counted for nobody',
    ({ holder }) => `update purchases set posted_at = created_at where user_id = '${holder}'`,
    [/^purchases of .*: the totals say 0 rows, 0 nodes, 0, the rows say 1, 0, 0$/],
  ],
]

test.for(damages)('the audit finds %s', async ([, statement, found]) => {
  const people = await setup()
  await damage(people, statement(people))

  const differences = await people.differences()
  for (const pattern of found) expect(differences, differences.join('\n')).toContainEqual(expect.stringMatching(pattern))
  expect(differences).toHaveLength(found.length)
})

test('the command exits 0 where everything agrees, 1 with the difference where it does not, 2 where it cannot look', async () => {
  const people = await setup()
  expect(await runAudit(people.database.url)).toMatchObject({ code: 0, output: expect.stringContaining('Everything agrees.') })

  await damage(people, 'update supply set paid = paid + 1')
  const { code, output } = await runAudit(people.database.url)
  expect(code).toBe(1)
  expect(output).toContain('supply says 3 paid nodes, the rows say 2')
  expect(output).toContain('1 of 16 checks found differences.')

  expect(await runAudit('postgres://127.0.0.1:1/none')).toMatchObject({ code: 2 })
})
