import { expect, onTestFinished, test } from 'vitest'
import { callers } from '#api/testing/callers.ts'
import { useDatabase } from '#api/testing/database.ts'
import { nameOf, readContract } from '#api/testing/readContract.ts'
import { fuzzEndpoints } from './fuzzEndpoints.ts'
import { openWorld } from './openWorld.ts'
import { type DescribedCall, readDescription } from './readDescription.ts'
import type { JsonSchema } from './schemaTexts.ts'

const database = useDatabase()

const ofAll = ['no body', 'broken JSON', 'another JSON value', 'another method', 'odd cookie', 'odd host', 'odd origin']
const ofBodies = ['valid shape', 'one field broken', 'extra properties', 'duplicate keys', 'cut off', 'another type', 'too large']
const deliveries = ['truncated body', 'slow body', 'chunked body']

/** What requests to an endpoint must try, so that no kind of bad input is left out. */
const needed = ({ body, params, query }: DescribedCall): string[] => [
  ...callers.map((caller) => `as ${caller}`),
  ...ofAll,
  ...(body ? [...ofBodies, ...deliveries, ...fieldsOf(body).map((field) => `broken field ${field}`)] : []),
  ...(params ? ['valid path', 'odd path', 'broken path'] : []),
  ...(query ? ['valid query', 'odd query', 'broken query'] : []),
]

const fieldsOf = ({ properties = {} }: JsonSchema): string[] => Object.keys(properties)

test('bad requests of every kind to all endpoints write nothing and get answers as described', async () => {
  const world = await openWorld(database)
  onTestFinished(world.stop)
  const endpoints = await readDescription(world.server.url)
  expect(endpoints.map(nameOf).toSorted()).toEqual((await readContract()).map(nameOf).toSorted())

  const { requests, accepted, refused, findings, traits } = await fuzzEndpoints(world, endpoints, {
    seed: 20_261_120,
    // Enough that each trait occurs.
    perEndpoint: 400,
    onePerTrait: true,
  })

  expect(findings).toEqual([])
  const untried = (endpoint: DescribedCall) => needed(endpoint).filter((trait) => !traits.get(endpoint)?.has(trait))
  expect(endpoints.flatMap((endpoint) => untried(endpoint).map((trait) => `${nameOf(endpoint)}: ${trait}`))).toEqual([])
  expect(requests).toBeGreaterThan(2_000)
  // Both outcomes occur often.
  expect(accepted).toBeGreaterThan(300)
  expect(refused).toBeGreaterThan(1_000)
}, 600_000)
