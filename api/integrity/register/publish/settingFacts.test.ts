import { expect, test } from 'vitest'
import { HOUR } from '#shared/dates.ts'
import { scheduleRate } from '#api/rewards/rates/scheduleRate.ts'
import { buy } from '#api/testing/registerHolders.ts'
import { type RegisterWorld, startRegister } from '#api/testing/registerWorld.ts'
import { setLastIdAhead } from '#api/testing/settingIds.ts'

/** A published register, and an instant before its next day. */
async function start() {
  const world = await startRegister()
  await buy(world, await world.openBuyer(), 2)
  await world.payDay()
  await world.publish()
  const { orm, clock } = world.server.services
  const from = new Date(clock.productNow().getTime() + 20 * HOUR)
  const schedule = (rate: string) =>
    orm.em
      .fork()
      .transactional((em) =>
        scheduleRate(em, { clock }, { rate, effectiveFrom: from, actor: 'admin:root', clientAddress: '::1' }),
      )
  return { world, schedule }
}

/** What the verifier finds wrong after another day, but for rates without notice, and the published rates. */
async function publishDay(world: RegisterWorld) {
  await world.payDay()
  await world.publish()
  const { notice: _, ...problems } = await world.problems()
  const rates = (await world.entries()).flatMap((text) => /^rate\/v1\n.*\n.*\nrate (\d+)0{18}$/m.exec(text)?.[1] ?? [])
  return { problems, rates }
}

test('of several rates for one instant the last one set is the last in the log, and the day is paid at it', async () => {
  const { world, schedule } = await start()
  await schedule('99')
  await setLastIdAhead(world.database)
  await world.publish()
  await schedule('12')
  expect(await publishDay(world)).toEqual({ problems: {}, rates: ['10', '99', '12'] })
})

test('a rate that is set twice for one instant by a machine whose clock is ahead has two different entries', async () => {
  const { world, schedule } = await start()
  await schedule('12')
  await setLastIdAhead(world.database)
  await schedule('15')
  await schedule('12')
  await world.publish()
  expect(await publishDay(world)).toEqual({ problems: {}, rates: ['10', '12', '15', '12'] })
})
