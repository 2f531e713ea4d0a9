import { expect, onTestFinished, test } from 'vitest'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { runPayouts } from './runPayouts.ts'

function start(payouts: Payouts): { stop(): Promise<void>; errors: unknown[] } {
  const errors: unknown[] = []
  const running = runPayouts(payouts.services, {
    endpoints: rewardEndpoints(payouts.services.config),
    directUrl: payouts.database.url,
    onError: (error) => void errors.push(error),
  })
  onTestFinished(() => running.stop())
  return { ...running, errors }
}

const completed = async (payouts: Payouts, id: string) =>
  expect.poll(async () => (await payouts.withdrawal(id)).status).toBe('completed')

test('one of several processes pays, and another continues when it ends', async () => {
  const payouts = await startPayouts({ mining: 'instant', confirmations: 1 })
  const running = [start(payouts), start(payouts), start(payouts)]
  const first = await payouts.open()
  await completed(payouts, first.id)

  const epoch = async () => {
    const [row] = await sql<{ epoch: number }>(payouts.orm.em.fork(), `select epoch from leaderships where role = 'payouts'`)
    return row!.epoch
  }
  // Epoch 1 belongs to the worker that the test ticks.
  expect(await epoch()).toBe(2)
  // Stops two of three, so that the leader is among them or has already been replaced.
  await Promise.all([running[0]!.stop(), running[1]!.stop()])
  const second = await payouts.open()
  await completed(payouts, second.id)

  expect(await payouts.transfers()).toHaveLength(2)
  expect((await payouts.payouts()).map(({ nonce }) => nonce)).toEqual([0, 1])
  expect(running.flatMap(({ errors }) => errors)).toEqual([])
})
