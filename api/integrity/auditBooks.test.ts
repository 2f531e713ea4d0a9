import type { EntityManager } from '@mikro-orm/postgresql'
import { expect, test } from 'vitest'
import { DAY, utcDay } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { expectFound, namesWithoutDamage, whileDamaged } from '#api/testing/damage.ts'
import { holdersOf } from '#api/testing/holders.ts'
import { startSale } from '#api/testing/sale.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { runAudit } from '#api/testing/runAudit.ts'
import { useShared } from '#api/testing/whenOver.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { auditBooks } from './auditBooks.ts'
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
import * as purchases from './checks/purchases.ts'
import { recomputedRewards } from './checks/recomputedRewards.ts'
import * as supply from './checks/supply.ts'
import { dailyTotals } from './checks/totals.ts'
import { createDepositChain } from './createDepositChain.ts'

/** A buyer's two nodes, somebody's three bonus nodes, a reservation, a payment that waits, a withdrawal, and two days that paid. */
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
  // As a demo's clock does it: `npm run audit` reads the offset.
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
    /** Days whose 09:00 paid both. */
    day: days[1]!,
    lastDay: days[2]!,
    /** What the audit finds, check by check. */
    find: async (em: EntityManager = orm.em.fork()) => {
      const findings = [
        ...(await auditBooks(em, { now: clock.now(), productNow: clock.productNow() })),
        ...(await auditDeposits(em, paymentChain, { startBlock: 0n })).findings,
      ]
      return findings.flatMap(({ name, differences }) => differences.map((difference) => ({ name, difference })))
    },
  }
})

test('nothing is found where nothing is wrong, and the command exits 0, and 2 where it cannot look', async () => {
  expect(await world.find()).toEqual([])
  const { config } = world.server.services
  const env = { BSC_RPC_URLS: world.chain.url, PAYMENT_CONFIRMATIONS: String(config.PAYMENT_CONFIRMATIONS) }
  const [there, away, nowhere] = await Promise.all([
    runAudit(world.database.url, env),
    runAudit(world.database.url, { ...env, BSC_RPC_URLS: 'http://127.0.0.1:9' }),
    runAudit('postgres://127.0.0.1:1/none'),
  ])
  expect(there.output).toContain(`ok         ${depositsOnChain}`)
  expect(there.output).toContain('Everything agrees.')
  expect(there.code).toBe(0)
  expect(away.output).toContain('NOT READ   Deposits were not compared with the payment chain: 127.0.0.1:9 does not answer')
  expect(away.code).toBe(2)
  expect(nowhere.code).toBe(2)
})

type World = typeof world

const rewardsAccount = houseAccounts.rewards

/** What is done to the rows, by hand, and each difference that must be found, with its check. Nothing else may be found. */
const damages: [what: string, statements: (world: World) => string | string[], found: [Check | string, RegExp][]][] = [
  [
    'a balance that was changed',
    ({ holder }) => `update accounts set balance = balance + 1 where id = '${holder}'`,
    [[balances.balances, /^account .* holds \d+\.0{17}1 XCR, its entries say \d+ XCR$/]],
  ],
  [
    'a total that was changed',
    ({ holder }) => `update accounts set total_earned = 0 where id = '${holder}'`,
    [[balances.totalsEarned, /^account .* says 0 XCR earned, its distributions say \d+ XCR$/]],
  ],
  [
    'an account that is gone',
    ({ holder }) => `delete from accounts where id = '${holder}'`,
    [
      [balances.balances, /has entries of \d+ XCR and no account$/],
      [balances.totalsEarned, /says 0 XCR earned/],
      [balances.knownMoves, /^distribution:.* moves 20 XCR from .*001 to /],
      [balances.knownMoves, /^distribution:/],
    ],
  ],
  [
    "an account that is nobody's",
    () => `insert into accounts (id, kind) values (gen_random_uuid(), 'user')`,
    [[balances.owners, /^account .* is of the kind user$/]],
  ],
  [
    'a second source of rewards, with everything in order',
    ({ holder, lastDay }) => [
      `insert into accounts (id, kind, balance, may_go_negative) values ('00000000-0000-7000-8000-0000000000aa', 'rewards', -5, true)`,
      `insert into ledger_entries values ('${lastDay}', 'distribution:gift', '00000000-0000-7000-8000-0000000000aa', '${holder}', 5, now())`,
      `update accounts set balance = balance + 5 where id = '${holder}'`,
    ],
    [
      [balances.houseAlone, /^the account .*aa of the kind rewards is none of the house's$/],
      [distributions.distributionEntries, /^the entry distribution:gift has no distribution$/],
    ],
  ],
  [
    'an account of a person that may go below zero',
    ({ holder }) => `update accounts set may_go_negative = true where id = '${holder}'`,
    [[balances.houseAlone, /^the account .* of the kind user may go below zero$/]],
  ],
  [
    'XCR that went from one person to another',
    ({ holder, other, lastDay }) => [
      `insert into ledger_entries values ('${lastDay}', 'gift:1', '${other}', '${holder}', 5, now())`,
      `update accounts set balance = balance + 5 where id = '${holder}'`,
      `update accounts set balance = balance - 5 where id = '${other}'`,
    ],
    [[balances.knownMoves, /^gift:1 moves 0\.0{17}5 XCR from .* to /]],
  ],
  [
    'an entry that is gone',
    ({ holder, lastDay }) => `delete from ledger_entries where cause = 'distribution:${lastDay}:${holder}'`,
    [
      [balances.balances, /^account .*001 holds -\d+ XCR, its entries say -\d+ XCR$/],
      [balances.balances, /^account .* holds \d+ XCR, its entries say \d+ XCR$/],
      [distributions.distributionEntries, /^distribution:.* of 20 XCR has no entry$/],
      [recomputedRewards, /^user .* was paid \d+ XCR, the nodes have earned \d+$/],
    ],
  ],
  [
    'an entry with another amount, balances and all',
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
    'an entry to somebody else',
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
    'an entry that was made twice, on another date',
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
    'a distribution that is gone',
    ({ holder, lastDay }) => `delete from distributions where day = '${lastDay}' and user_id = '${holder}'`,
    [
      [balances.totalsEarned, /XCR earned, its distributions say/],
      [distributions.distributionEntries, /^the entry distribution:.* has no distribution$/],
      [distributions.rewardDays, /^20\d\d-\d\d-\d\d says 2 users, 5 nodes, 50{19}; its distributions say 1, 3, 30{19}$/],
    ],
  ],
  [
    'a distribution at another rate',
    ({ holder, lastDay }) =>
      `update distributions set rate = rate / 2, active_nodes = active_nodes * 2 where day = '${lastDay}' and user_id = '${holder}'`,
    [[distributions.rewardDays, /has distributions of another rate or time$/]],
  ],
  [
    'a day that was left out',
    ({ firstDay }) => `delete from reward_runs where day = '${firstDay}'`,
    [[distributions.rewardDays, / has no run$/]],
  ],
  [
    'the first days, with all that they paid',
    () => `update nodes set allocated_at = allocated_at - interval '1 day', active_from = active_from + interval '1 hour'`,
    [[distributions.rewardDays, / has no run$/]],
  ],
  [
    'a day that was never paid',
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
    'a node that was skipped by nobody',
    ({ lastDay }) => `insert into reward_skips values ('${lastDay}', 1)`,
    [[recomputedRewards, /was paid/]],
  ],
  [
    'a day that was paid before it came',
    ({ lastDay }) => `insert into reward_runs (day, rate, closed_at, paid_at) values (date '${lastDay}' + 1, 10, now(), now())`,
    [
      [distributions.paidDaysHaveCome, /^20\d\d-\d\d-\d\d was paid and has not come$/],
      [recomputedRewards, /was paid/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a correction of what nobody has missed, balances and all',
    ({ holder, lastDay, purchase }) => [
      `insert into reward_corrections values ('${lastDay}', '${purchase}', gen_random_uuid(), '${holder}', 1, 10, 10, now())`,
      `insert into ledger_entries values ('${lastDay}', 'correction:${lastDay}:${purchase}', '${rewardsAccount}', '${holder}', 10, now())`,
      `update accounts set balance = balance + 10, total_earned = total_earned + 10 where id = '${holder}'`,
      `update accounts set balance = balance - 10 where id = '${rewardsAccount}'`,
    ],
    [
      [distributions.corrections, /pays 1 nodes at 10; missed were 0 at 10{19}$/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a correction without its entry',
    ({ holder, lastDay, purchase }) =>
      `insert into reward_corrections values ('${lastDay}', '${purchase}', gen_random_uuid(), '${holder}', 1, 10, 10, now())`,
    [
      [distributions.corrections, /missed were 0/],
      [distributions.distributionEntries, /^correction:.* has no entry$/],
      [balances.totalsEarned, /its distributions say/],
    ],
  ],
  [
    'days that thawed nodes have missed and nobody has corrected',
    ({ lastDay }) => [
      `insert into reward_skips values ('${lastDay}', 1)`,
      `update reward_runs set paid_at = paid_at - interval '2 hours' where day = '${lastDay}'`,
    ],
    [
      [overdue, /^what the purchase .* missed on .* is not paid, and its nodes are thawed$/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    'a node that is gone',
    () => 'delete from nodes where number = 3',
    [
      [supply.supply, /^supply says 3 bonus nodes, the rows say 2$/],
      [supply.purchasedNodes, /is due 3 nodes and owns 2$/],
      [nodeCounts, /^account .*: the counts say 0 paid, 3 bonus, the nodes say 0 paid, 2 bonus$/],
      [recomputedRewards, /was paid/],
    ],
  ],
  [
    "a count of an account's nodes",
    ({ holder }) => `update node_counts set paid = 12 where user_id = '${holder}'`,
    [[nodeCounts, /the counts say 12 paid, 0 bonus, the nodes say 2 paid, 0 bonus$/]],
  ],
  [
    'a count of the supply',
    () => 'update supply set paid = paid + 1',
    [[supply.supply, /^supply says 3 paid nodes, the rows say 2$/]],
  ],
  [
    'supply that nobody holds',
    () => 'update supply set reserved = 9',
    [[supply.supply, /^supply says 9 held nodes, the rows say 4$/]],
  ],
  [
    'a node too many',
    () => ['alter table supply drop constraint supply_not_exceeded', 'update supply set total = 8'],
    [[supply.nodeNumbers, /^there are 5 nodes and 4 are held, of 8$/]],
  ],
  [
    'a node with a number beyond the last',
    () => 'update nodes set number = 20001 where number = 5',
    [[supply.nodeNumbers, /^node 20001 is none of 1 to 20000$/]],
  ],
  [
    'a node that is there twice',
    () => ['alter table nodes drop constraint nodes_pkey cascade', 'update nodes set number = 3 where number = 4'],
    [[onceOnly, /^node 3: there are 2$/]],
  ],
  [
    "a node in somebody else's hands",
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
    'a node that nobody has bought',
    ({ other }) => [
      `insert into nodes select 6, '${other}', gen_random_uuid(), kind, allocated_at, now() + interval '9 days', null from nodes where number = 3`,
      'update supply set bonus = bonus + 1',
      `update node_counts set bonus = bonus + 1 where user_id = '${other}'`,
    ],
    [[supply.purchasedNodes, /^node 6 has no purchase$/]],
  ],
  [
    'a bonus node that counts as bought',
    ({ other }) => [
      `update nodes set kind = 'paid' where number = 3`,
      'update supply set paid = paid + 1, bonus = bonus - 1',
      `update node_counts set paid = paid + 1, bonus = bonus - 1 where user_id = '${other}'`,
    ],
    [[supply.purchasedNodes, /^node 3 is paid, its purchase is not$/]],
  ],
  [
    'a node that is active at once',
    () => `update nodes set active_from = allocated_at + interval '5 minutes' where number = 1`,
    [
      [nodes.nodeTimes, /^node 1 is active from .*Z, before .*Z$/],
      [recomputedRewards, /was paid 40 XCR, the nodes have earned 50$/],
    ],
  ],
  [
    'a node that earns though its payment has vanished',
    ({
      purchase,
    }) => `update deposits set state = 'orphaned', state_before_orphaned = state, block_number = null, block_hash = null,
      block_time = null, log_index = null where purchase_id = '${purchase}'`,
    [
      [nodes.frozenNodes, /^node 1 earns, and its payment has vanished$/],
      [nodes.frozenNodes, /^node 2 earns, and its payment has vanished$/],
      [depositsOnChain, /^6 USDT from .* and deposit .* is orphaned$/],
    ],
  ],
  [
    'a node that is frozen for nothing',
    () => `update nodes set frozen_at = now() where number = 4`,
    [[nodes.frozenNodes, /^node 4 is frozen, and its payment is on the chain$/]],
  ],
  [
    'a purchase at a price of its own',
    ({ purchase }) => [
      `update purchases set unit_price = unit_price / 2, amount = amount / 2 where id = '${purchase}'`,
      `update deposits set amount = amount / 2 where purchase_id = '${purchase}'`,
      `update daily_totals set amount = 3000000000000000000 where subject = 'sales'`,
    ],
    [
      [purchases.purchaseAmounts, /^purchase .* is 3 USDT for 2 nodes at 1\.5 USDT, and the price was 3 USDT$/],
      [depositsOnChain, /^6 USDT from .* and deposit .* says 3 USDT$/],
    ],
  ],
  [
    'an amount that is not its quantity',
    () => `update purchases set amount = amount + 7 where status = 'reserved'`,
    [[purchases.purchaseAmounts, /^purchase .* is 12\.0{17}7 USDT for 4 nodes at 3 USDT/]],
  ],
  [
    'a reservation that holds nothing',
    () => [`update purchases set held_quantity = 0 where status = 'reserved'`, 'update supply set reserved = 0'],
    [[purchases.purchaseStates, /^purchase .* \(reserved\) holds nothing$/]],
  ],
  [
    'supply that is held by what was paid',
    ({ purchase }) => [`update purchases set held_quantity = 2 where id = '${purchase}'`, 'update supply set reserved = 6'],
    [[purchases.purchaseStates, /^purchase .* \(confirmed\) still holds 2 nodes$/]],
  ],
  [
    'a request whose payment nobody would see',
    () => `update purchases set deposit_address = '0x${'9'.repeat(40)}' where status = 'reserved'`,
    [[purchases.purchaseStates, /was to be paid to 0x9{40}, which is not watched$/]],
  ],
  [
    'fewer nodes than were bought',
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
    'a second reservation of one account',
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
    'a purchase that nobody has paid',
    ({ purchase }) =>
      `update deposits set state = 'review', review_reason = 'late', closed_at = null where purchase_id = '${purchase}'`,
    [
      [deposits.payments, /^purchase .* was never paid$/],
      [deposits.paidInFull, /^purchase .* costs 6 USDT, and 0 were paid$/],
    ],
  ],
  [
    'a payment for a purchase that came to nothing, and one that went back nowhere',
    () => `update deposits set state = 'refunded', review_reason = null, closed_at = now() where state = 'review'`,
    [[deposits.payments, /^deposit .* is refunded, its purchase is none$/]],
  ],
  [
    'a payment that was given to nobody',
    () => `update deposits set state = 'assigned', review_reason = null, closed_at = now() where state = 'review'`,
    [[deposits.payments, /^deposit .* is assigned, its purchase is none$/]],
  ],
  [
    "somebody else's payment",
    ({ purchase }) => `update purchases set wallet = '0x${'9'.repeat(40)}' where id = '${purchase}'`,
    [[deposits.paidInFull, /^purchase .* was paid by another wallet than its own$/]],
  ],
  [
    'a payment that waits for no reason, and one that was closed at no time',
    ({ purchase }) => [
      `update deposits set review_reason = null where state = 'review'`,
      `update deposits set closed_at = null where purchase_id = '${purchase}'`,
    ],
    [
      [deposits.depositStates, /^deposit .* is review and has the reason of nobody$/],
      [deposits.depositStates, /^deposit .* is matched and was closed at no time$/],
    ],
  ],
  [
    'a settled payment that stands in no block',
    ({ purchase }) => `update deposits set block_number = null, block_hash = null, block_time = null, log_index = null
      where purchase_id = '${purchase}'`,
    [
      [deposits.depositStates, /^deposit .* is matched and is in no block$/],
      [depositsOnChain, /^6 USDT from .* says block none/],
    ],
  ],
  [
    'a payment to an address that is not ours',
    ({ purchase }) => `update deposits set recipient = '0x${'9'.repeat(40)}' where purchase_id = '${purchase}'`,
    [
      [deposits.depositStates, /went to 0x9{40}, which is not ours$/],
      [depositsOnChain, /says it went to 0x9{40}$/],
    ],
  ],
  [
    'a payment on the chain that was never written down',
    () => `delete from deposits where state = 'review'`,
    [[depositsOnChain, /^5 USDT from 0x.* in 0x.* \(block \d+\) is on the chain and is no deposit$/]],
  ],
  [
    'a payment that the chain does not know',
    () => `insert into deposits select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'transaction_hash', '0x${'0'.repeat(64)}'))).*
      from deposits d where state = 'review'`,
    [[depositsOnChain, /^deposit .* is review, and block \d+ has no such transfer of 5 USDT \(0x0{64}\)$/]],
  ],
  [
    'a payment of another amount, sender or time than the chain says',
    () => `update deposits set sender = '0x${'9'.repeat(40)}' where state = 'review'`,
    [[depositsOnChain, /^5 USDT from .* says it came from 0x9{40}$/]],
  ],
  [
    'a payment that was dated back',
    () => `update deposits set block_time = block_time - interval '1 hour' where state = 'review'`,
    [[depositsOnChain, /^5 USDT from .* says it was at /]],
  ],
  [
    'a payment that was read twice',
    () => [
      'alter table deposits drop constraint deposits_chain_id_transaction_hash_ordinal_unique',
      `update deposits set transaction_hash = (select transaction_hash from deposits where state = 'matched'), ordinal = 0 where state = 'review'`,
    ],
    [
      [onceOnly, /^deposit of 56 0x.* 0: there are 2$/],
      [depositsOnChain, /is on the chain and is no deposit$/],
      [depositsOnChain, /./],
    ],
  ],
  [
    'a count of a day',
    () => `update daily_totals set rows = rows + 1 where subject = 'bonuses'`,
    [[dailyTotals, /^bonuses of \d{4}-\d\d-\d\d: the totals say 2 rows, 3 nodes, 0, the rows say 1, 3, 0$/]],
  ],
  [
    'a reservation that never ended, and a mail that was never tried',
    () => [
      `update purchases set expires_at = expires_at - interval '3 hours' where status = 'reserved'`,
      `update outgoing_mails set sent_at = null, next_attempt_at = now() - interval '2 hours' where id = (select min(id::text)::uuid from outgoing_mails)`,
    ],
    [
      [overdue, /^purchase .* \(reserved\) holds 4 nodes since /],
      [overdue, /^the mail .* waits since /],
    ],
  ],
  [
    'a final payment that nobody decides',
    () => [
      `update deposits set state = 'seen', review_reason = null where state = 'review'`,
      `update chain_blocks set time = time + interval '2 hours'`,
      `update purchases set expires_at = expires_at + interval '9 hours' where status = 'reserved'`,
    ],
    [[overdue, /^deposit .* is final since block \d+ and not decided$/]],
  ],
  [
    'a guard that was switched off, and one that was taken away',
    () => [
      'alter table nodes disable trigger count_inserted',
      'drop trigger audit_entries_refuse_truncate on audit_entries',
      'grant update on ledger_entries to xcr',
      'grant delete on accounts to public',
    ],
    [
      [guards, /^accounts may be changed by public: DELETE$/],
      [guards, /^audit_entries no longer refuses every change$/],
      [guards, /^ledger_entries may be changed by xcr: UPDATE$/],
      [guards, /^the trigger count_inserted of nodes is switched off$/],
    ],
  ],
]

test.for(damages)('the audit finds %s', async ([, statements, found]) => {
  const differences = await whileDamaged(world.database, statements(world), (em) => world.find(em))
  expectFound(differences, found)
})

test('every check has a damage that it finds', () => {
  expect(namesWithoutDamage([...saleChecks, depositsOnChain], damages)).toEqual([])
})

test('the daily run reads on where it has ended, and all of it when it is told to', async () => {
  const { orm, paymentChain } = world
  const audited = async (number: bigint) =>
    void (await sql(orm.em.fork(), 'update chain_progress set audited_number = $1, verified_number = $1', [number]))
  const [progress] = await sql<{ verified: number }>(orm.em.fork(), 'select verified_number as verified from chain_progress')
  const gone = `delete from deposits where state = 'review'`
  const look = (all: boolean) =>
    whileDamaged(
      world.database,
      gone,
      async (em) => (await auditDeposits(em, paymentChain, { startBlock: 0n, all })).findings[0]!.differences,
    )
  await audited(5_000n)
  expect(await look(false)).toEqual([])
  expect(await look(true)).toHaveLength(1)
  await audited(BigInt(progress!.verified))
  expect(await look(false), 'what is near the end is read again').toHaveLength(1)
  await sql(orm.em.fork(), 'update chain_progress set audited_number = null')
})

test('once a day one worker audits, and what it finds is kept and mailed to the operator', async () => {
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
  expect(await sql(orm.em.fork(), 'select from audit_entries'), 'it is no deed of a person').toEqual([])
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

test('what a worker that has only begun finds overdue is looked at again before anybody is called', async () => {
  const { orm } = world
  const { services } = world.server
  const [begin, goOn] = [true, false].map((isFirst) => () => auditDaily.run(services, isFirst)) as [Look, Look]
  const countRuns = async () => (await sql(orm.em.fork(), 'select from audit_runs')).length
  await sql(orm.em.fork(), 'delete from audit_runs')
  await sql(orm.em.fork(), `update outgoing_mails set sent_at = null, next_attempt_at = now() - interval '2 hours'`)
  await begin()
  expect(await countRuns()).toBe(0)

  await sql(orm.em.fork(), 'update supply set paid = paid + 1')
  await expect(begin(), 'anything else is told at once').rejects.toThrow(/differences: (?=.*supply says)(?=.*the mail .* waits)/)
  await sql(orm.em.fork(), 'update supply set paid = paid - 1')

  await sql(orm.em.fork(), 'delete from audit_runs')
  await expect(goOn()).rejects.toThrow(/differences: the mail .* waits/)
  expect(await countRuns()).toBe(1)
})

type Look = () => Promise<void>
