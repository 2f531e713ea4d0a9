import { parseArgs } from 'node:util'
import { auditDatabase } from '#api/integrity/auditDatabase.ts'
import { nameOf } from '#api/testing/readContract.ts'
import { type Finding, fuzzEndpoints } from './fuzzEndpoints.ts'
import { openDatabase, openWorld } from './openWorld.ts'
import { readDescription } from './readDescription.ts'

/**
 * Starts the product and sends generated bad requests to every call that it describes at /api/openapi.json, as every caller. Exits with 1
 * if an answer is not as described, or writes what it must not. The same seed sends the same requests:
 *
 * `npm run fuzz -- --seed 7 --per-endpoint 200 --only "POST /api/login"`
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    'per-endpoint': { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
  },
})
const [seed, perEndpoint] = [Number(values.seed), Number(values['per-endpoint'])]
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(perEndpoint) || perEndpoint < 1) {
  console.error('--seed and --per-endpoint take whole numbers.')
  process.exit(2)
}
const database = await openDatabase()
try {
  const world = await openWorld(database)
  const endpoints = (await readDescription(world.server.url)).filter((endpoint) => nameOf(endpoint).includes(values.only))
  if (endpoints.length === 0) throw new Error(`There is no endpoint "${values.only}".`)
  console.log(`Seed ${seed}: ${perEndpoint} requests to each of ${endpoints.length} endpoints.`)
  const readDifferences = async () =>
    (await auditDatabase(world.server.services.orm.em.fork())).flatMap(({ differences }) => differences)
  // The directly inserted test data causes some.
  const before = await readDifferences()
  let errors: unknown
  const started = Date.now()
  const { requests, accepted, refused, findings } = await fuzzEndpoints(world, endpoints, {
    seed,
    perEndpoint,
    onEndpoint: print,
  })
  const seconds = ((Date.now() - started) / 1_000).toFixed(0)
  const differences = (await readDifferences()).filter((difference) => !before.includes(difference))
  await world.stop().catch((error: unknown) => (errors = error))

  if (errors) console.log('\nThe server reported:', errors)
  for (const difference of differences) console.log(`\nThe audit: ${difference}`)
  console.log(`\n${requests} requests in ${seconds} s: ${accepted} accepted, ${refused} refused, ${findings.length} findings.`)
  if (findings.length > 0 || errors || differences.length > 0) process.exitCode = 1
} finally {
  await database.stop()
}

function print(name: string, findings: Finding[]): void {
  console.log(`${findings.length === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  for (const { what, request } of findings) console.log(`  ${what}\n    ${request}\n`)
}
