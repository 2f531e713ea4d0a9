import { expect, test } from 'vitest'
import { type Holders, startHolders } from '#api/testing/holders.ts'
import { setLastIdAhead } from '#api/testing/settingIds.ts'
import { parseAmount } from '#shared/amount.ts'
import { listRates } from './listRates.ts'
import { scheduleRate } from './scheduleRate.ts'

const schedule = ({ orm, clock }: Holders, rate: string, from?: string) =>
  orm.em
    .fork()
    .transactional((em) =>
      scheduleRate(
        em,
        { clock },
        { rate, effectiveFrom: from ? new Date(from) : undefined, actor: 'admin:root', clientAddress: '127.0.0.1' },
      ),
    )

/** A holder of two nodes, paid on 1 March at the default rate. */
async function setup() {
  const holders = await startHolders()
  holders.at('2027-03-01T08:00:00Z')
  await holders.openHolder({ nodes: 2 })
  holders.at('2027-03-01T12:00:00Z')
  await holders.pay()
  return holders
}

test('a scheduled rate is used from its day on and not before', async () => {
  const holders = await setup()
  await schedule(holders, '15', '2027-03-03T09:00:00Z')

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

test('a rate that starts just after 09:00 applies to the next day', async () => {
  const holders = await setup()
  await schedule(holders, '15', '2027-03-02T09:00:00.001Z')
  holders.at('2027-03-03T10:00:00Z')
  await holders.pay()
  expect((await holders.runs()).slice(1)).toEqual([
    '2027-03-02 at 10: 1 users, 2 nodes, 20',
    '2027-03-03 at 15: 1 users, 2 nodes, 30',
  ])
})

test('a rate set for now applies at the next 09:00, and a scheduled rate follows it', async () => {
  const holders = await setup()
  await schedule(holders, '15', '2027-03-03T00:00:00Z')
  holders.at('2027-03-01T13:00:00Z')
  await schedule(holders, '12')
  holders.at('2027-03-03T10:00:00Z')
  await holders.pay()
  expect((await holders.runs()).slice(1)).toEqual([
    '2027-03-02 at 12: 1 users, 2 nodes, 24',
    '2027-03-03 at 15: 1 users, 2 nodes, 30',
  ])
})

test('the last rate set for now applies even if the clock of the one before was ahead, and a planned one follows it', async () => {
  const holders = await setup()
  await schedule(holders, '15', '2027-03-03T00:00:00Z')
  holders.at('2027-03-01T13:00:03Z')
  await schedule(holders, '99')
  holders.at('2027-03-01T13:00:02Z')
  await schedule(holders, '12')
  holders.at('2027-03-03T10:00:00Z')
  await holders.pay()
  expect((await holders.runs()).slice(1)).toEqual([
    '2027-03-02 at 12: 1 users, 2 nodes, 24',
    '2027-03-03 at 15: 1 users, 2 nodes, 30',
  ])
})

test('a closed day keeps its rate even if the changing process’s clock is behind', async () => {
  const holders = await setup()
  holders.at('2027-03-01T08:30:00Z')
  await schedule(holders, '99', '2027-03-01T08:45:00Z')
  holders.at('2027-03-02T10:00:00Z')
  await holders.pay()
  expect(await holders.runs()).toEqual(['2027-03-01 at 10: 1 users, 2 nodes, 20', '2027-03-02 at 99: 1 users, 2 nodes, 198'])
  expect(await holders.differences()).toEqual([])
})

test('a rate is scheduled in product time in a demo', async () => {
  const holders = await setup()
  holders.clock.advanceProduct(24 * 3_600_000)
  await expect(schedule(holders, '15', '2027-03-02T11:59:59Z')).rejects.toThrow('must not be in the past')
  await schedule(holders, '15', '2027-03-02T12:00:00Z')
  holders.clock.advanceProduct(24 * 3_600_000)
  await holders.pay()
  expect((await holders.runs()).slice(1)).toEqual([
    '2027-03-02 at 10: 1 users, 2 nodes, 20',
    '2027-03-03 at 15: 1 users, 2 nodes, 30',
  ])
})

test('of several rates for one instant the last one set counts everywhere, even if the clock of the machine before was ahead', async () => {
  const holders = await setup()
  const from = '2027-03-03T00:00:00Z'
  await schedule(holders, '99', from)
  await setLastIdAhead(holders.database)
  await schedule(holders, '15', from)
  await schedule(holders, '12', from)

  const [newest] = await listRates(holders.orm.em.fork(), holders.clock.productNow())
  expect(newest).toMatchObject({ rate: parseAmount('12') })
  holders.at('2027-03-03T10:00:00Z')
  await holders.pay()
  expect((await holders.runs()).slice(1)).toEqual([
    '2027-03-02 at 10: 1 users, 2 nodes, 20',
    '2027-03-03 at 12: 1 users, 2 nodes, 24',
  ])
  expect(await holders.differences()).toEqual([])
})
