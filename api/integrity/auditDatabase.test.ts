import { type EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DAY, utcDay } from '#shared/dates.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { expectDifferences, checksWithoutDamage, whileDamaged } from '#api/testing/damage.ts'
import { holdersOf } from '#api/testing/holders.ts'
import { startSale } from '#api/testing/sale.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { runAudit } from '#api/testing/runAudit.ts'
import { useShared } from '#api/testing/onCleanup.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { auditDatabase } from './auditDatabase.ts'
import { auditDaily, auditWhenDue } from './auditDaily.ts'
import { auditDeposits } from './auditDeposits.ts'
import type { Check } from './Check.ts'
import { saleChecks } from './checks/all.ts'
import * as balances from './checks/balances.ts'
import * as deposits from './checks/deposits.ts'
import { depositsOnChain } from './checks/depositsOnChain.ts'
import * as distributions from './checks/distributions.ts'
import { guards } from './checks/guards.ts'
import { nodeCounts } from './checks/nodeCounts.ts'
import * as nodes from './checks/nodes.ts'
import { onceOnly } from './checks/onceOnly.ts'
import { overdue } from './checks/overdue.ts'
import { administratorPasskeys } from './checks/passkeys.ts'
import * as purchases from './checks/purchases.ts'
import { recomputedRewards } from './checks/recomputedRewards.ts'
import * as supply from './checks/supply.ts'
import { dailyTotals } from './checks/totals.ts'
import { createDepositChain } from './createDepositChain.ts'

/** A buyer's two nodes, another holder's three bonus nodes, a reservation, a payment in review, a withdrawal, and paid days. */
const world = useShared(async () => {
  const sale = await startSale()
  const { orm, config, clock } = sale.server.services
  const holders = holdersOf({ database: sale.database, clock: sale.server.clock })
  sale.server.clock.advanceProduct(Date.parse(`${utcDay(new Date(Date.now() + DAY))}T10:00:00Z`) - clock.productNow().getTime())
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '6')
  await sale.confirm()
  const other = await holders.openHolder({ nodes: 3, kind: 'bonus' })
  await sale.reserve(await sale.openBuyer(), 4)
  await sale.pay((await sale.openBuyer({ proven: false })).wallet, '5')
  await sale.confirm()
  const first = clock.productNow()
  const days = [1, 2, 3].map((day) => utcDay(new Date(first.getTime() + day * DAY)))
  sale.server.clock.advanceProduct(Date.parse(`${days[2]}T09:30:00Z`) - first.getTime())
  await holders.pay()
  // `npm run audit` reads the offset of product time, as with a demo's clock.
  await sql(orm.em.fork(), 'update installation set clock_offset_ms = $1', [clock.productNow().getTime() - clock.now().getTime()])
  await insertWithdrawal(orm, { userId: other, amount: '10', fee: '5', now: clock.productNow() })

  const paymentChain = createDepositChain(config)
  const [purchase] = await sale.purchases(buyer)
  return {
    ...sale,
    orm,
    paymentChain,
    holder: buyer.user.id,
    other,
    purchase: purchase!.id,
    firstDay: days[0]!,
    /** A day that paid both holders. */
    day: days[1]!,
    lastDay: days[2]!,
    /** The findings of the audit with the names of their checks. */
    find: async (em: EntityManager = orm.em.fork()) => {
      const findings = [
        ...(await auditDatabase(em, { now: clock.now(), productNow: clock.productNow() })),
        ...(await auditDeposits(em, paymentChain, { startBlock: 0n })).findings,
      ]
      return findings.flatMap(({ name, differences }) => differences.map((difference) => ({ name, difference })))
    },
  }
})

test('the audit finds nothing in consistent data, and the command exits with 0, or 2 if it cannot read a part', async () => {
  expect(await world.find()).toEqual([])
  const { config } = world.server.services
  const env = { BSC_RPC_URLS: world.chain.url, PAYMENT_CONFIRMATIONS: String(config.PAYMENT_CONFIRMATIONS) }
  const [complete, withoutChain, withoutDatabase] = await Promise.all([
    runAudit(world.database.url, env),
    runAudit(world.database.url, { ...env, BSC_RPC_URLS: 'http://127.0.0.1:9' }),
    runAudit('postgres://127.0.0.1:1/none'),
  ])
  expect(complete.output).toContain(`ok         ${depositsOnChain}`)
  expect(complete.output).toContain('Everything agrees.')
  expect(complete.code).toBe(0)
  expect(withoutChain.output).toContain(
    'NOT READ   Deposits were not compared with the payment chain: 127.0.0.1:9 does not answer',
  )
  expect(withoutChain.code).toBe(2)
  expect(withoutDatabase.code).toBe(2)
})

type World = typeof world

const rewardsAccount = houseAccounts.rewards

/** Damage to the rows, and exactly the differences that the audit must find, each with its check. */
const damages: [name: string, statements: (world: World) => string | string[], found: [Check | string, RegExp][]][] = [
  [
    'a changed balance',
    ({ holder }) => `update accounts set balance = balance + 1 where id = '${holder}'`,
    [[balances.balances, /^account .* holds \d+\.0{17}1 XCR, its entries say \d+ XCR$/]],
  ],
  [
    'a changed total',
    ({ holder }) => `update accounts set total_earned = 0 where id = '${holder}'`,
    [[balances.totalsEarned, /^account .* says 0 XCR earned, its distributions say \d+ XCR$/]],
  ],
  [
    'a missing account',
    ({ holder }) => `delete from accounts where id = '${holder}'`,
    [
      [balances.balances, /has entries of \d+ XCR and no account$/],
      [balances.totalsEarned, /says 0 XCR earned/],
      [balances.knownMoves, /^distribution:.* moves 20 XCR from .*001 to /],
      [balances.knownMoves, /^distribution:/],
    ],
  ],
  [
    'an administrator without codes whose one passkey of two is disabled',
    () => [
      `insert into administrators (id, username, password_hash, created_at) values ('00000000-0000-7000-8000-0000000000ad', 'keeper', '', now())`,
      ...['now()', 'null'].map(
        (disabledAt, index) =>
          `insert into passkeys values (gen_random_uuid(), null, '00000000-0000-7000-8000-0000000000ad', 'key-${index}', '', 0, '{}', false, false, 'Key', now(), null, ${disabledAt})`,
      ),
      // She cannot log in to add one.
      `insert into administrators (id, username, password_hash, created_at, removed_at) values ('00000000-0000-7000-8000-0000000000ae', 'former', '', now(), now())`,
      ...['now()', 'null'].map(
        (disabledAt, index) =>
          `insert into passkeys values (gen_random_uuid(), null, '00000000-0000-7000-8000-0000000000ae', 'former-${index}', '', 0, '{}', false, false, 'Key', now(), null, ${disabledAt})`,
      ),
    ],
    [[administratorPasskeys, /^administrator keeper logs in without codes and has 1 usable passkeys$/]],
  ],
  [
    'a passkey of two accounts',
    ({ holder, other }) => [
      'alter table passkeys drop constraint passkeys_credential_id_unique',
      ...[holder, other].map(
        (owner) =>
          `insert into passkeys values (gen_random_uuid(), '${owner}', null, 'key', '', 0, '{}', false, false, 'Key', now(), null, null)`,
      ),
    ],
    [[onceOnly, /^passkey key: there are 2$/]],
  ],
  [
    'a user account without a user',
    () => `insert into accounts (id, kind) values (gen_random_uuid(), 'user')`,
    [[balances.owners, /^account .* is of the kind user$/]],
  ],
  [
    'a second rewards account with consistent balances',
    ({ holder, lastDay }) => [
      `insert into accounts (id, kind, balance, may_go_negative) values ('00000000-0000-7000-8000-0000000000aa', 'rewards', -5, true)`,
      `insert into ledger_entries values ('${lastDay}', 'distribution:gift', '00000000-0000-7000-8000-0000000000aa', '${holder}', 5, now())`,
      `update accounts set balance = balance + 5 where id = '${holder}'`,
    ],
    [
      [balances.systemAccounts, /^the account .*aa of the kind rewards is no known system account$/],
      [distributions.distributionEntries, /^the entry distribution:gift has no distribution$/],
    ],
  ],
  [
    'a user account that may become negative',
    ({ holder }) => `update accounts set may_go_negative = true where id = '${holder}'`,
    [[balances.systemAccounts, /^the account .* of the kind user may become negative$/]],
  ],
  [
    'a transfer of XCR between two users',
    ({ holder, other, lastDay }) => [
      `insert into ledger_entries values ('${lastDay}', 'gift:1', '${other}', '${holder}', 5, now())`,
      `update accounts set balance = balance + 5 where id = '${holder}'`,
      `update accounts set balance = balance - 5 where id = '${other}'`,
    ],
    [[balances.knownMoves, /^gift:1 moves 0\.0{17}5 XCR from .* to /]],
  ],
  [
    'a missing entry',
    ({ holder, lastDay }) => `delete from ledger_entries where cause = 'distribution:${lastDay}:${holder}'`,
    [
      [balances.balances, /^account .*001 holds -\d+ XCR, its entries say -\d+ XCR$/],
      [balances.balances, /^account .* holds \d+ XCR, its entries say \d+ XCR$/],
      [distributions.distributionEntries, /^distribution:.* of 20 XCR has no entry$/],
      [recomputedRewards, /^user .* was paid \d+ XCR, the nodes have earned \d+$/],
    ],
  ],
  [
    'an entry with another amount and matching balances',
    ({ holder, lastDay }) => [
      `update ledger_entries set amount = amount + 5 where cause = 'distribution:${lastDay}:${holder}'`,
      `update accounts set balance = balance + 5 where id = '${holder}'`,
      `update accounts set balance = balance - 5 where id = '${rewardsAccount}'`,
    ],
    [
      [distributions.distributionEntries, /^distribution:.* is 20 XCR, its entry 20\.0{17}5$/],
      [recomputedRewards, /^user .* was paid \d+\.0{17}5 XCR/],
    ],
  ],
  [
    'an entry for another user',
    ({ holder, other, lastDay }) =>
      `update ledger_entries set to_account = '${other}' where cause = 'distribution:${lastDay}:${holder}'`,
    [
      [balances.balances, /its entries say/],
      [balances.balances, /its entries say/],
      [distributions.distributionEntries, /has no entry$/],
      [distributions.distributionEntries, /has no distribution$/],
      [recomputedRewards, /was paid/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a duplicate entry on another date',
    ({ holder, day, lastDay }) => [
      `insert into ledger_entries select '${day}', cause, from_account, to_account, amount, recorded_at from ledger_entries
       where cause = 'distribution:${lastDay}:${holder}'`,
      `update accounts set balance = balance + 20000000000000000000 where id = '${holder}'`,
      `update accounts set balance = balance - 20000000000000000000 where id = '${rewardsAccount}'`,
    ],
    [
      [distributions.distributionEntries, /has no distribution$/],
      [recomputedRewards, /was paid/],
      [onceOnly, /^entry distribution:.*: there are 2$/],
    ],
  ],
  [
    'a missing distribution',
    ({ holder, lastDay }) => `delete from distributions where day = '${lastDay}' and user_id = '${holder}'`,
    [
      [balances.totalsEarned, /XCR earned, its distributions say/],
      [distributions.distributionEntries, /^the entry distribution:.* has no distribution$/],
      [distributions.rewardDays, /^20\d\d-\d\d-\d\d says 2 users, 5 nodes, 50{19}; its distributions say 1, 3, 30{19}$/],
    ],
  ],
  [
    'a distribution with another rate',
    ({ holder, lastDay }) =>
      `update distributions set rate = rate / 2, active_nodes = active_nodes * 2 where day = '${lastDay}' and user_id = '${holder}'`,
    [[distributions.rewardDays, /has distributions with another rate or time$/]],
  ],
  [
    'a missing day',
    ({ firstDay }) => `delete from reward_runs where day = '${firstDay}'`,
    [[distributions.rewardDays, / has no run$/]],
  ],
  [
    'missing first days',
    () => `update nodes set allocated_at = allocated_at - interval '1 day', active_from = active_from + interval '1 hour'`,
    [[distributions.rewardDays, / has no run$/]],
  ],
  [
    'a day that was not paid',
    ({ day }) => `update reward_runs set paid_at = null where day = '${day}'`,
    [
      [distributions.rewardDays, / was closed and never paid$/],
      [overdue, /^the rewards of .* are not paid$/],
    ],
  ],
  [
    'a rate that was changed afterwards',
    ({ lastDay }) =>
      `insert into setting_changes values (gen_random_uuid(), 'xcr_per_node_daily', '11', '${lastDay}T08:00Z', '${lastDay}T08:00Z')`,
    [
      [recomputedRewards, /was paid/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a recorded skip of a node that was paid',
    ({ lastDay }) => `insert into reward_skips values ('${lastDay}', 1)`,
    [[recomputedRewards, /was paid/]],
  ],
  [
    'a day that was paid early',
    ({ lastDay }) => `insert into reward_runs (day, rate, closed_at, paid_at) values (date '${lastDay}' + 1, 10, now(), now())`,
    [
      [distributions.paidDaysHaveCome, /^20\d\d-\d\d-\d\d was paid before its 09:00$/],
      [recomputedRewards, /was paid/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a correction without a missed reward and with matching balances',
    ({ holder, lastDay, purchase }) => [
      `insert into reward_corrections values ('${lastDay}', '${purchase}', gen_random_uuid(), '${holder}', 1, 10, 10, now())`,
      `insert into ledger_entries values ('${lastDay}', 'correction:${lastDay}:${purchase}', '${rewardsAccount}', '${holder}', 10, now())`,
      `update accounts set balance = balance + 10, total_earned = total_earned + 10 where id = '${holder}'`,
      `update accounts set balance = balance - 10 where id = '${rewardsAccount}'`,
    ],
    [
      [distributions.corrections, /pays 1 nodes at 10 instead of 0 at 10{19}$/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a correction without an entry',
    ({ holder, lastDay, purchase }) =>
      `insert into reward_corrections values ('${lastDay}', '${purchase}', gen_random_uuid(), '${holder}', 1, 10, 10, now())`,
    [
      [distributions.corrections, /instead of 0/],
      [distributions.distributionEntries, /^correction:.* has no entry$/],
      [balances.totalsEarned, /its distributions say/],
    ],
  ],
  [
    'missed rewards of thawed nodes without a correction',
    ({ lastDay }) => [
      `insert into reward_skips values ('${lastDay}', 1)`,
      `update reward_runs set paid_at = paid_at - interval '2 hours' where day = '${lastDay}'`,
    ],
    [
      [overdue, /^the rewards that purchase .* missed on .* are not paid, and its nodes are thawed$/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a missing node',
    () => 'delete from nodes where number = 3',
    [
      [supply.supply, /^supply says 3 bonus nodes, the rows say 2$/],
      [supply.purchasedNodes, /is due 3 nodes and owns 2$/],
      [nodeCounts, /^account .*: the counts say 0 paid, 3 bonus, the nodes say 0 paid, 2 bonus$/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a wrong node count of an account',
    ({ holder }) => `update node_counts set paid = 12 where user_id = '${holder}'`,
    [[nodeCounts, /the counts say 12 paid, 0 bonus, the nodes say 2 paid, 0 bonus$/]],
  ],
  [
    'a wrong count of the supply',
    () => 'update supply set paid = paid + 1',
    [[supply.supply, /^supply says 3 paid nodes, the rows say 2$/]],
  ],
  [
    'reserved supply without a reservation',
    () => 'update supply set reserved = 9',
    [[supply.supply, /^supply says 9 held nodes, the rows say 4$/]],
  ],
  [
    'more nodes than the supply',
    () => ['alter table supply drop constraint supply_not_exceeded', 'update supply set total = 8'],
    [[supply.nodeNumbers, /^5 nodes exist and 4 are held, of 8$/]],
  ],
  [
    'a node number above the supply',
    () => 'update nodes set number = 20001 where number = 5',
    [[supply.nodeNumbers, /^node 20001 is not between 1 and 20000$/]],
  ],
  [
    'a duplicate node number',
    () => ['alter table nodes drop constraint nodes_pkey cascade', 'update nodes set number = 3 where number = 4'],
    [[onceOnly, /^node 3: there are 2$/]],
  ],
  [
    'a node of another user',
    ({ other }) => `update nodes set user_id = '${other}' where number = 1`,
    [
      [supply.purchasedNodes, /^node 1 belongs to another user than its purchase$/],
      [nodeCounts, /the nodes say 1 paid, 0 bonus$/],
      [nodeCounts, /the nodes say 1 paid, 3 bonus$/],
      [recomputedRewards, /was paid/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a node without a purchase',
    ({ other }) => [
      `insert into nodes select 6, '${other}', gen_random_uuid(), kind, allocated_at, now() + interval '9 days', null from nodes where number = 3`,
      'update supply set bonus = bonus + 1',
      `update node_counts set bonus = bonus + 1 where user_id = '${other}'`,
    ],
    [[supply.purchasedNodes, /^node 6 has no purchase$/]],
  ],
  [
    'a bonus node that is marked as paid',
    ({ other }) => [
      `update nodes set kind = 'paid' where number = 3`,
      'update supply set paid = paid + 1, bonus = bonus - 1',
      `update node_counts set paid = paid + 1, bonus = bonus - 1 where user_id = '${other}'`,
    ],
    [[supply.purchasedNodes, /^node 3 is paid, but its purchase is not$/]],
  ],
  [
    'a node that is active too early',
    () => `update nodes set active_from = allocated_at + interval '5 minutes' where number = 1`,
    [
      [nodes.nodeTimes, /^node 1 is active from .*Z, before .*Z$/],
      [recomputedRewards, /was paid 40 XCR, the nodes have earned 50$/],
    ],
  ],
  [
    'an unfrozen node with an orphaned payment',
    ({
      purchase,
    }) => `update deposits set state = 'orphaned', state_before_orphaned = state, block_number = null, block_hash = null,
      block_time = null, log_index = null where purchase_id = '${purchase}'`,
    [
      [nodes.frozenNodes, /^node 1 earns, but its payment was orphaned$/],
      [nodes.frozenNodes, /^node 2 earns, but its payment was orphaned$/],
      [depositsOnChain, /^6 USDT from .* and deposit .* is orphaned$/],
    ],
  ],
  [
    'a frozen node with a valid payment',
    () => `update nodes set frozen_at = now() where number = 4`,
    [[nodes.frozenNodes, /^node 4 is frozen, but its payment is on the chain$/]],
  ],
  [
    'a purchase at another price',
    ({ purchase }) => [
      `update purchases set unit_price = unit_price / 2, amount = amount / 2 where id = '${purchase}'`,
      `update deposits set amount = amount / 2 where purchase_id = '${purchase}'`,
      `update daily_totals set amount = 3000000000000000000 where subject = 'sales'`,
    ],
    [
      [purchases.purchaseAmounts, /^purchase .* costs 3 USDT for 2 nodes at 1\.5 USDT; the price was 3 USDT$/],
      [depositsOnChain, /^6 USDT from .* and deposit .* says 3 USDT$/],
    ],
  ],
  [
    'an amount that is not quantity times price',
    () => `update purchases set amount = amount + 7 where status = 'reserved'`,
    [[purchases.purchaseAmounts, /^purchase .* costs 12\.0{17}7 USDT for 4 nodes at 3 USDT/]],
  ],
  [
    'a reservation without held supply',
    () => [`update purchases set held_quantity = 0 where status = 'reserved'`, 'update supply set reserved = 0'],
    [[purchases.purchaseStates, /^purchase .* \(reserved\) holds nothing$/]],
  ],
  [
    'supply held by a confirmed purchase',
    ({ purchase }) => [`update purchases set held_quantity = 2 where id = '${purchase}'`, 'update supply set reserved = 6'],
    [[purchases.purchaseStates, /^purchase .* \(confirmed\) still holds 2 nodes$/]],
  ],
  [
    'a reservation with an unknown deposit address',
    () => `update purchases set deposit_address = '0x${'9'.repeat(40)}' where status = 'reserved'`,
    [[purchases.purchaseStates, /asks for payment to 0x9{40}, which is no deposit address$/]],
  ],
  [
    'a smaller final quantity than purchased',
    ({ purchase }) => [
      `update purchases set final_quantity = 1 where id = '${purchase}'`,
      `update daily_totals set nodes = 1 where subject = 'sales'`,
    ],
    [
      [supply.purchasedNodes, /is due 1 nodes and owns 2$/],
      [purchases.purchaseStates, /has 1 nodes of 2$/],
    ],
  ],
  [
    'two reservations of one account',
    () => [
      'drop index purchases_one_reservation',
      `insert into purchases select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'held_quantity', 0))).*
       from purchases p where status = 'reserved'`,
    ],
    [
      [onceOnly, /^reservation of .*: there are 2$/],
      [purchases.purchaseStates, /^purchase .* \(reserved\) holds nothing$/],
    ],
  ],
  [
    'a confirmed purchase without a payment',
    ({ purchase }) =>
      `update deposits set state = 'review', review_reason = 'late', closed_at = null where purchase_id = '${purchase}'`,
    [
      [deposits.payments, /^purchase .* was never paid$/],
      [deposits.paidInFull, /^purchase .* costs 6 USDT, and 0 USDT was paid$/],
    ],
  ],
  [
    'a refunded payment without a transaction',
    () => `update deposits set state = 'refunded', review_reason = null, closed_at = now() where state = 'review'`,
    [[deposits.payments, /^deposit .* is refunded and has no purchase$/]],
  ],
  [
    'an assigned payment without a purchase',
    () => `update deposits set state = 'assigned', review_reason = null, closed_at = now() where state = 'review'`,
    [[deposits.payments, /^deposit .* is assigned and has no purchase$/]],
  ],
  [
    'a payment from another wallet',
    ({ purchase }) => `update purchases set wallet = '0x${'9'.repeat(40)}' where id = '${purchase}'`,
    [[deposits.paidInFull, /^purchase .* was paid from another wallet$/]],
  ],
  [
    'a payment in review without a reason, and a matched one without a closing time',
    ({ purchase }) => [
      `update deposits set review_reason = null where state = 'review'`,
      `update deposits set closed_at = null where purchase_id = '${purchase}'`,
    ],
    [
      [deposits.depositStates, /^deposit .* is review and has no review reason$/],
      [deposits.depositStates, /^deposit .* is matched and has no closing time$/],
    ],
  ],
  [
    'a settled payment without a block',
    ({ purchase }) => `update deposits set block_number = null, block_hash = null, block_time = null, log_index = null
      where purchase_id = '${purchase}'`,
    [
      [deposits.depositStates, /^deposit .* is matched and has no block$/],
      [depositsOnChain, /^6 USDT from .* says block none/],
    ],
  ],
  [
    'a payment to an address that is no deposit address',
    ({ purchase }) => `update deposits set recipient = '0x${'9'.repeat(40)}' where purchase_id = '${purchase}'`,
    [
      [deposits.depositStates, /went to 0x9{40}, which is no deposit address$/],
      [depositsOnChain, /says it went to 0x9{40}$/],
    ],
  ],
  [
    'a payment on the chain without a deposit',
    () => `delete from deposits where state = 'review'`,
    [[depositsOnChain, /^5 USDT from 0x.* in 0x.* \(block \d+\) is on the chain and has no deposit$/]],
  ],
  [
    'a deposit without a transfer on the chain',
    () => `insert into deposits select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'transaction_hash', '0x${'0'.repeat(64)}'))).*
      from deposits d where state = 'review'`,
    [[depositsOnChain, /^deposit .* is review, and block \d+ has no such transfer of 5 USDT \(0x0{64}\)$/]],
  ],
  [
    'a deposit with another sender than on the chain',
    () => `update deposits set sender = '0x${'9'.repeat(40)}' where state = 'review'`,
    [[depositsOnChain, /^5 USDT from .* says it came from 0x9{40}$/]],
  ],
  [
    'a deposit with an earlier time than on the chain',
    () => `update deposits set block_time = block_time - interval '1 hour' where state = 'review'`,
    [[depositsOnChain, /^5 USDT from .* says it was at /]],
  ],
  [
    'a payment that was stored twice',
    () => [
      'alter table deposits drop constraint deposits_chain_id_transaction_hash_ordinal_unique',
      `update deposits set transaction_hash = (select transaction_hash from deposits where state = 'matched'), ordinal = 0 where state = 'review'`,
    ],
    [
      [onceOnly, /^deposit of 56 0x.* 0: there are 2$/],
      [depositsOnChain, /is on the chain and has no deposit$/],
      [depositsOnChain, /./],
    ],
  ],
  [
    'a wrong count of a day',
    () => `update daily_totals set rows = rows + 1 where subject = 'bonuses'`,
    [[dailyTotals, /^bonuses of \d{4}-\d\d-\d\d: the totals say 2 rows, 3 nodes, 0, the rows say 1, 3, 0$/]],
  ],
  [
    'an expired reservation that holds supply, and a due mail that was not tried, unless its recipient is refused',
    () => [
      `update purchases set expires_at = expires_at - interval '3 hours' where status = 'reserved'`,
      `delete from outgoing_mails`,
      ...['null', 'now()'].map(
        (attemptsEndAt) =>
          `insert into outgoing_mails (id, recipient, subject, text, html, created_at, next_attempt_at, attempts_end_at)
           values (gen_random_uuid(), 'a@example.com', '', '', '', now() - interval '2 hours', now() - interval '2 hours', ${attemptsEndAt})`,
      ),
    ],
    [
      [overdue, /^purchase .* \(reserved\) expired at .* and holds 4 nodes$/],
      [overdue, /^the mail .* has been due since /],
    ],
  ],
  [
    'a final payment that is not decided',
    () => [
      `update deposits set state = 'seen', review_reason = null where state = 'review'`,
      `update chain_blocks set time = time + interval '2 hours'`,
      `update purchases set expires_at = expires_at + interval '9 hours' where status = 'reserved'`,
    ],
    [[overdue, /^deposit .* of block \d+ is final and not decided$/]],
  ],
  [
    'disabled and missing triggers and additional privileges',
    () => [
      'alter table nodes disable trigger count_inserted',
      'drop trigger audit_entries_refuse_truncate on audit_entries',
      'grant update on ledger_entries to xcr',
      'grant truncate on ledger_entries_default to xcr',
      'grant delete on accounts to public',
    ],
    [
      [guards, /^accounts may be changed by public: DELETE$/],
      [guards, /^audit_entries does not refuse every change$/],
      [guards, /^ledger_entries_default may be changed by xcr: TRUNCATE$/],
      [guards, /^ledger_entries may be changed by xcr: UPDATE$/],
      [guards, /^the trigger count_inserted of nodes is disabled$/],
    ],
  ],
]

test.for(damages)('the audit finds %s', async ([, statements, found]) => {
  const differences = await whileDamaged(world.database, statements(world), (em) => world.find(em))
  expectDifferences(differences, found)
})

test('every check finds at least one damage', () => {
  expect(checksWithoutDamage([...saleChecks, depositsOnChain], damages)).toEqual([])
})

test('an audit reads from the last audited block minus the overlap, or every block with --all', async () => {
  const { orm, paymentChain } = world
  const setAudited = async (number: bigint) =>
    void (await sql(orm.em.fork(), 'update chain_progress set audited_number = $1, verified_number = $1', [number]))
  const [progress] = await sql<{ verified: number }>(orm.em.fork(), 'select verified_number as verified from chain_progress')
  const gone = `delete from deposits where state = 'review'`
  const findMissing = (all: boolean) =>
    whileDamaged(
      world.database,
      gone,
      async (em) => (await auditDeposits(em, paymentChain, { startBlock: 0n, all })).findings[0]!.differences,
    )
  await setAudited(5_000n)
  expect(await findMissing(false)).toEqual([])
  expect(await findMissing(true)).toHaveLength(1)
  await setAudited(BigInt(progress!.verified))
  expect(await findMissing(false), 'the overlap is read again').toHaveLength(1)
  await sql(orm.em.fork(), 'update chain_progress set audited_number = null')
})

test('one worker audits once a day, stores the differences and mails them to the operator', async () => {
  const { orm, database } = world
  const { services } = world.server
  const outcomes = () =>
    sql<{ unchecked: string[]; differences: string[] }>(
      orm.em.fork(),
      'select unchecked, differences from audit_runs order by at',
    )
  await Promise.all([auditWhenDue(services), auditWhenDue(services), auditWhenDue(services)])
  await auditWhenDue(services)
  expect(await outcomes()).toEqual([{ unchecked: [], differences: [] }])
  expect(await sql(orm.em.fork(), 'select from audit_entries'), 'the audit log has no entry').toEqual([])
  expect(await sql(orm.em.fork(), 'select from chain_progress where audited_number = verified_number')).toHaveLength(1)

  await sql(orm.em.fork(), `update audit_runs set at = at - interval '1 day'`)
  await sql(orm.em.fork(), 'update supply set paid = paid + 1')
  await expect(auditWhenDue(services)).rejects.toThrow('ALERT: the daily audit has found 1 differences: supply says')
  expect(await outcomes()).toEqual([
    { unchecked: [], differences: [] },
    { unchecked: [], differences: [expect.stringContaining('supply says')] },
  ])
  const [mail] = await mailsTo(database, services.config.SUPPORT_EMAIL)
  expect(mail!.text).toContain('supply says')
  await sql(orm.em.fork(), 'update supply set paid = paid - 1')
})

test('an audit by a worker whose clock is a year ahead is followed by the next one a day later', async () => {
  const { orm } = world
  const { services } = world.server
  await sql(orm.em.fork(), 'delete from audit_runs')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * DAY })
  onTestFinished(() => void vi.useRealTimers())
  await auditWhenDue(services)
  vi.useRealTimers()

  await sql(orm.em.fork(), `update audit_runs set at = at - interval '1 day'`)
  await sql(orm.em.fork(), 'update supply set paid = paid + 1')
  await expect(auditWhenDue(services)).rejects.toThrow('supply says')
  await sql(orm.em.fork(), 'update supply set paid = paid - 1')
  expect(await sql(orm.em.fork(), 'select from audit_runs where at > now()')).toEqual([])
})

test('an audit that is dated in the future neither holds the next one back nor hides its result', async () => {
  const { orm } = world
  const { services } = world.server
  await sql(orm.em.fork(), 'delete from audit_runs')
  await sql(
    orm.em.fork(),
    `insert into audit_runs (id, at, unchecked, differences) values (gen_random_uuid(), now() + interval '1 year', '[]', '[]')`,
  )
  await sql(orm.em.fork(), 'update supply set paid = paid + 1')
  await expect(auditWhenDue(services)).rejects.toThrow('supply says')
  await sql(orm.em.fork(), 'update supply set paid = paid - 1')
  const [newest] = await sql(orm.em.fork(), 'select differences, at <= now() as past from audit_runs order by at desc limit 1')
  expect(newest).toEqual({ differences: [expect.stringContaining('supply says')], past: true })
})

test('blocks with a difference are read again each day until it is corrected', async () => {
  const { orm } = world
  const { services } = world.server
  const change = (by: number) => sql(orm.em.fork(), `update deposits set amount = amount + $1 where state = 'review'`, [by])
  const auditTomorrow = async () => {
    await sql(orm.em.fork(), `update audit_runs set at = at - interval '1 day'`)
    await auditWhenDue(services)
  }
  const readAudited = async () =>
    (await sql<{ audited: number | null }>(orm.em.fork(), 'select audited_number as audited from chain_progress'))[0]!.audited
  await sql(orm.em.fork(), 'update chain_progress set audited_number = null')
  await change(1)
  await expect(auditTomorrow()).rejects.toThrow('ALERT: the daily audit has found')
  expect(await readAudited()).toBeNull()
  await change(-1)
  await auditTomorrow()
  expect(await readAudited()).not.toBeNull()
})

test('the daily audit is recorded if it takes longer than PostgreSQL lets a transaction be idle', async () => {
  const { database } = world
  const { services } = world.server
  const em = database.superuser.em.fork()
  await sql(em, 'delete from audit_runs')
  const url = new URL(database.url)
  url.searchParams.set('options', '-c idle_in_transaction_session_timeout=1s')
  const orm = new MikroORM(ormOptions({ url: url.href, poolSize: 3 }))
  onTestFinished(() => orm.close(true))
  const { promise, resolve } = Promise.withResolvers<void>()
  const blocked = em.transactional(async (em) => {
    // Every audit reads it.
    await sql(em, 'lock table nodes in access exclusive mode')
    resolve()
    await sql(em, 'select pg_sleep(1.5)')
  })
  await promise
  await Promise.all([auditWhenDue({ ...services, orm }), blocked])
  expect(await sql(em, 'select from audit_runs')).toHaveLength(1)
})

test('a full audit is recorded, every other one says when it was, and what it found stays until another one finds nothing', async () => {
  const { orm, database, chain } = world
  const { services } = world.server
  const env = { BSC_RPC_URLS: chain.url, PAYMENT_CONFIRMATIONS: String(services.config.PAYMENT_CONFIRMATIONS) }
  const clear = () => sql(orm.em.fork(), 'delete from audit_runs')
  const full = (unchecked: string[], differences: string[], daysAgo: number) =>
    sql(
      orm.em.fork(),
      `insert into audit_runs (id, at, unchecked, differences, is_full)
       values (gen_random_uuid(), now() - $3 * interval '1 day', $1, $2, true)`,
      [JSON.stringify(unchecked), JSON.stringify(differences), daysAgo],
    )
  await clear()
  expect((await runAudit(database.url, env)).output).toContain('npm run audit -- --all has not read them yet.')
  expect((await runAudit(database.url, env, '--all')).output).toContain('Everything agrees.')
  expect((await runAudit(database.url, { ...env, BSC_RPC_URLS: 'http://127.0.0.1:9' }, '--all')).code).toBe(2)
  expect(
    await sql(orm.em.fork(), 'select is_full, differences, unchecked <> $1 as cut from audit_runs order by at', ['[]']),
  ).toEqual([
    { is_full: true, differences: [], cut: false },
    { is_full: true, differences: [], cut: true },
  ])
  const readOnly = await runAudit(`${database.url}?options=-c%20default_transaction_read_only%3Don`, env, '--all')
  expect(readOnly).toMatchObject({ code: 0, output: expect.stringContaining('NOT RECORDED') })
  // It is none of a worker's.
  await auditWhenDue(services)
  expect(await sql(orm.em.fork(), 'select from audit_runs where not is_full')).toHaveLength(1)

  await clear()
  await full([], [], 3)
  await full([], ['the archived month 2025-01', 'another'], 2)
  await full(['the chain was away'], [], 1)
  await expect(auditWhenDue(services)).rejects.toThrow(
    /differences: the audit of all rows on .* found differences, and none since has read everything and found nothing: the archived month 2025-01/,
  )
  await clear()
  await full([], ['the archived month 2025-01'], 2)
  await full([], [], 1)
  await auditWhenDue(services)
  await clear()
})

test('the first audit of a starting worker does not report overdue work alone; the next one does', async () => {
  const { orm } = world
  const { services } = world.server
  const runFirst = () => auditDaily.run(services, true)
  const runNext = () => auditDaily.run(services, false)
  const countRuns = async () => (await sql(orm.em.fork(), 'select from audit_runs')).length
  await sql(orm.em.fork(), 'delete from audit_runs')
  await sql(orm.em.fork(), `update outgoing_mails set sent_at = null, next_attempt_at = now() - interval '2 hours'`)
  await runFirst()
  expect(await countRuns()).toBe(0)

  await sql(orm.em.fork(), 'update supply set paid = paid + 1')
  await expect(runFirst(), 'any other difference is reported').rejects.toThrow(
    /differences: (?=.*supply says)(?=.*the mail .* has been due)/,
  )
  await sql(orm.em.fork(), 'update supply set paid = paid - 1')

  await sql(orm.em.fork(), 'delete from audit_runs')
  await expect(runNext()).rejects.toThrow(/differences: the mail .* has been due/)
  expect(await countRuns()).toBe(1)
})
