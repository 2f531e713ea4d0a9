import { expect, test } from 'vitest'
import { type Holders, startHolders } from '#api/testing/holders.ts'
import { scheduleRate } from './scheduleRate.ts'

const plan = ({ orm, clock }: Holders, rate: string, from?: string) =>
  orm.em
    .fork()
    .transactional((em) =>
      scheduleRate(
        em,
        { clock },
        { rate, effectiveFrom: from ? new Date(from) : undefined, actor: 'admin:root', clientAddress: '127.0.0.1' },
      ),
    )

/** One holder of two nodes, who was paid on 1 March at the rate of a fresh installation. */
async function setup() {
  const holders = await startHolders()
  holders.at('2027-03-01T08:00:00Z')
  await holders.openHolder({ nodes: 2 })
  holders.at('2027-03-01T12:00:00Z')
  await holders.pay()
  return holders
}

test('a planned rate is used from its day on and not before', async () => {
  const holders = await setup()
  await plan(holders, '15', '2027-03-03T09:00:00Z')

  holders.at('2027-03-05T10:00:00Z')
  await holders.pay()

  expect(await holders.runs()).toEqual([
    '2027-03-01 at 10: 1 users, 2 nodes, 20',
    '2027-03-02 at 10: 1 users, 2 nodes, 20',
    '2027-03-03 at 15: 1 users, 2 nodes, 30',
    '2027-03-04 at 15: 1 users, 2 nodes, 30',
    '2027-03-05 at 15: 1 users, 2 nodes, 30',
  ])
  expect(await holders.differences()).toEqual([])
})

test('a rate that begins just after 09:00 is for the day after', async () => {
  const holders = await setup()
  await plan(holders, '15', '2027-03-02T09:00:00.001Z')
  holders.at('2027-03-03T10:00:00Z')
  await holders.pay()
  expect((await holders.runs()).slice(1)).toEqual([
    '2027-03-02 at 10: 1 users, 2 nodes, 20',
    '2027-03-03 at 15: 1 users, 2 nodes, 30',
  ])
})

test('set for now, a rate is for the next 09:00, and what is planned follows it', async () => {
  const holders = await setup()
  await plan(holders, '15', '2027-03-03T00:00:00Z')
  holders.at('2027-03-01T13:00:00Z')
  await plan(holders, '12')
  holders.at('2027-03-03T10:00:00Z')
  await holders.pay()
  expect((await holders.runs()).slice(1)).toEqual([
    '2027-03-02 at 12: 1 users, 2 nodes, 24',
    '2027-03-03 at 15: 1 users, 2 nodes, 30',
  ])
})

test('a day that is closed keeps its rate, however late the clock of who changes it', async () => {
  const holders = await setup()
  holders.at('2027-03-01T08:30:00Z')
  await plan(holders, '99', '2027-03-01T08:45:00Z')
  holders.at('2027-03-02T10:00:00Z')
  await holders.pay()
  expect(await holders.runs()).toEqual(['2027-03-01 at 10: 1 users, 2 nodes, 20', '2027-03-02 at 99: 1 users, 2 nodes, 198'])
  expect(await holders.differences()).toEqual([])
})

test('a demo that has moved its clock plans by it', async () => {
  const holders = await setup()
  holders.clock.advanceProduct(24 * 3_600_000)
  await expect(plan(holders, '15', '2027-03-02T11:59:59Z')).rejects.toThrow('must not lie in the past')
  await plan(holders, '15', '2027-03-02T12:00:00Z')
  holders.clock.advanceProduct(24 * 3_600_000)
  await holders.pay()
  expect((await holders.runs()).slice(1)).toEqual([
    '2027-03-02 at 10: 1 users, 2 nodes, 20',
    '2027-03-03 at 15: 1 users, 2 nodes, 30',
  ])
})
