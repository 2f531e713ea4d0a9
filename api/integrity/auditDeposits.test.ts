import type { EntityManager } from '@mikro-orm/postgresql'
import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/admin/deposits.ts'
import { hostOf } from '#api/platform/chain/RpcEndpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { startBackOffice } from '#api/testing/backOffice.ts'
import { whileDamaged } from '#api/testing/damage.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { lieAboutAmount } from '#api/testing/lyingRpc.ts'
import { auditDeposits } from './auditDeposits.ts'
import { depositsOnChain } from './checks/depositsOnChain.ts'
import { refundsOnChain } from './checks/refundsOnChain.ts'
import { createDepositChain } from './createDepositChain.ts'

/** A payment of 6 USDT in review and a refunded one of 5 USDT, with an audit that reads from the given endpoints. */
async function startAudited() {
  const office = await startBackOffice()
  const { orm, config } = office.server.services
  const stranger = await office.openStranger()
  const [waiting, other] = [await office.pay(stranger, '6'), await office.pay(stranger, '5')]
  await office.confirm()
  const back = await office.sendBackAtOnce([
    ['0x00000000000000000000000000000000000000aa', '5'],
    [stranger.address, '5'],
  ])
  const refundedId = await office.depositOf(other)
  await office.call(contract.refundDeposit, {
    params: { id: refundedId },
    body: { transactionHash: back, note: 'Sent back.' },
  })
  await office.watch()
  const audit = (urls: string[], em: EntityManager = orm.em.fork()) =>
    auditDeposits(em, createDepositChain({ ...config, BSC_RPC_URLS: urls }), { startBlock: 0n, all: true })
  return {
    ...office,
    orm,
    waiting,
    back,
    refundedId,
    audit,
    /** Returns the findings of the audit while the rows are damaged. */
    find: async (statements: string | string[], urls = [office.chain.url]) => {
      const { findings } = await whileDamaged(office.database, statements, (em) => audit(urls, em))
      return findings.flatMap(({ name, differences }) => differences.map((difference) => [name, difference]))
    },
  }
}

test('the audit names a lying endpoint, even the first one, and even if the rows match it', async () => {
  const office = await startAudited()
  const [liar, honest] = [await startFaultyRpc(office.chain.url), await startFaultyRpc(office.chain.url)]
  const urls = [liar.url, honest.url]
  expect((await office.audit(urls)).findings.flatMap(({ differences }) => differences)).toEqual([])

  lieAboutAmount(liar, { hash: office.waiting, amount: parseAmount('6000')! })
  expect(await office.find('select 1', urls)).toEqual([
    [
      depositsOnChain,
      expect.stringMatching(`^${hostOf(liar.url)} differs from the other endpoints: 6000 USDT from .* says 6 USDT$`),
    ],
  ])
  const believed = `update deposits set amount = amount * 1000 where state = 'review'`
  expect(await office.find(believed, urls)).toEqual([
    [
      depositsOnChain,
      expect.stringMatching(`^${hostOf(honest.url)} differs from the other endpoints: 6 USDT from .* says 6000 USDT$`),
    ],
  ])
})

test('the audit reads and compares the transfers of some blocks at a time', async () => {
  const office = await startAudited()
  await office.chain.mine(300)
  const [host] = createDepositChain({ ...office.server.services.config, BSC_RPC_URLS: [office.chain.url] }).hosts
  const parts: { from: bigint; to: bigint }[] = []
  let amount = 0n
  for await (const { transfers, ...part } of host!.readTransfers({ recipients: [office.depositAddress], from: 0n, to: 300n })) {
    parts.push(part)
    for (const transfer of transfers) amount += transfer.amount
  }

  expect(amount).toBe(parseAmount('11'))
  expect(parts).toEqual([
    { from: 0n, to: 99n },
    { from: 100n, to: 225n },
    { from: 226n, to: 300n },
  ])
})

test('the audit reports an endpoint that is down or far behind, and is incomplete without a second one', async () => {
  const office = await startAudited()
  const nodes: FaultyRpc[] = []
  for (let i = 0; i < 3; i += 1) nodes.push(await startFaultyRpc(office.chain.url))
  const urls = nodes.map(({ url }) => url)
  const all = await office.audit(urls)
  expect(all.unread).toEqual([])
  expect(all.upTo).toBeGreaterThan(0n)

  // One endpoint that claims to be ahead does not make the others count as behind. Two do.
  const isAhead = ({ method }: { method: string }) =>
    method === 'eth_getBlockByNumber' ? { rewrite: (block: object) => ({ ...block, number: '0x2000' }) } : undefined
  nodes[1]!.fail(isAhead)
  expect((await office.audit(urls)).unread).toEqual([])
  nodes[2]!.fail(isAhead)
  expect((await office.audit(urls)).unread).toEqual([
    expect.stringMatching(`^Deposits were compared without an endpoint: ${hostOf(urls[0]!)} is behind, at block \\d+$`),
  ])
  for (const node of nodes) node.heal()

  nodes[0]!.fail(() => 'drop')
  const two = await office.audit(urls)
  expect(two.unread).toEqual([
    expect.stringMatching(`^Deposits were compared without an endpoint: ${hostOf(urls[0]!)} does not answer`),
  ])
  expect(two.upTo).toBe(all.upTo)

  nodes[1]!.fail(() => 'drop')
  const one = await office.audit(urls)
  expect(one.unread).toHaveLength(3)
  expect(one.upTo).toBeUndefined()

  nodes[2]!.fail(() => 'drop')
  await expect(office.audit(urls)).rejects.toThrow('does not answer')
})

test('the audit compares every refund with the chain', async () => {
  const office = await startAudited()
  expect(await office.find('select 1')).toEqual([])
  expect(await office.find(`update deposits set refund_ordinal = null where state = 'refunded'`)).toEqual([])
  for (const change of [
    'refund_ordinal = 0',
    'refund_ordinal = 7',
    'refunded_amount = refunded_amount - 1',
    `refund_hash = '0x${'7'.repeat(64)}'`,
    `refund_hash = '${office.waiting}', refund_ordinal = 0`,
  ])
    expect(await office.find(`update deposits set ${change} where state = 'refunded'`), change).toEqual([
      [refundsOnChain, expect.stringMatching(`^deposit ${office.refundedId} is refunded, but 0x.* has no transfer of `)],
    ])
  const twice = `update deposits set state = 'refunded', review_reason = null, closed_at = now(), refund_hash = '${office.back}',
    refunded_amount = 5000000000000000000 where state = 'review'`
  expect(await office.find(twice)).toEqual([[refundsOnChain, expect.stringContaining('has no transfer of 5 USDT')]])
})

test('the daily audit compares refunds until a complete audit has found no difference', async () => {
  const office = await startAudited()
  const { orm } = office
  const damaged = `update deposits set refund_ordinal = 0 where state = 'refunded'`
  const find = async () => {
    const chain = createDepositChain({ ...office.server.services.config, BSC_RPC_URLS: [office.chain.url] })
    const { findings } = await whileDamaged(office.database, damaged, (em) => auditDeposits(em, chain, { startBlock: 0n }))
    return findings.flatMap(({ differences }) => differences)
  }
  const record = (at: string, unchecked: string, differences = '[]') =>
    sql(orm.em.fork(), `insert into audit_runs (id, at, unchecked, differences) values (gen_random_uuid(), ${at}, $1, $2)`, [
      unchecked,
      differences,
    ])
  expect(await find()).toHaveLength(1)
  await record(`now() + interval '3 days'`, '["the chain was away"]')
  expect(await find()).toHaveLength(1)
  await record(`now() + interval '3 days'`, '[]', '["this refund"]')
  expect(await find()).toHaveLength(1)
  await record(`now() + interval '2 days'`, '[]')
  expect(await find()).toEqual([])
})
