import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '#api/testing/database.ts'
import { readContract } from '#api/testing/readContract.ts'
import { fuzzEndpoints } from './fuzzEndpoints.ts'
import { openWorld } from './openWorld.ts'

const database = useDatabase()

test('ten thousand bad requests to all endpoints write nothing and get answers that match the contract', async () => {
  const world = await openWorld(database)
  onTestFinished(world.stop)
  const endpoints = await readContract()

  const { requests, accepted, refused, findings } = await fuzzEndpoints(world, endpoints, {
    seed: 20_261_120,
    // Some are left out, because they would be valid calls of other endpoints.
    perEndpoint: Math.ceil(10_600 / endpoints.length),
  })

  expect(findings).toEqual([])
  expect(requests).toBeGreaterThanOrEqual(10_000)
  // Both outcomes occur often.
  expect(accepted).toBeGreaterThan(1_000)
  expect(refused).toBeGreaterThan(4_000)
}, 300_000)
