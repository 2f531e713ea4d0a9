import { MikroORM } from '@mikro-orm/postgresql'
import { type Environment, variables } from '../config.ts'
import { ormOptions } from '../db/ormOptions.ts'
import { openDatabase } from '../dev/openDatabase.ts'
import { auditBooks, type Finding } from './auditBooks.ts'
import { auditPayouts, PayoutsUnread } from './auditPayouts.ts'
import { createPayoutChain } from './createPayoutChain.ts'
import type { PayoutChain } from './PayoutChain.ts'

/** `npm run audit`: exits 0 if everything agrees, 1 if something differs, 2 if it could not look. Changes nothing. */

/** Of what is wrong in one place, this many examples. */
const SHOWN = 20

const database = await openDatabase()
if (database === undefined) {
  console.error('There is no database to audit: set DATABASE_URL, or run npm start once.')
  process.exit(2)
}
const orm = new MikroORM(ormOptions({ url: database.url, poolSize: 1 }))
try {
  const findings = await auditBooks(orm.em.fork())
  const unread = await auditPayouts(orm.em.fork(), connectRewardChain(database.env)).then(
    (onChain) => void findings.push(...onChain),
    (error: unknown) => {
      if (error instanceof PayoutsUnread) return error.message
      throw error
    },
  )
  for (const finding of findings) console.log(describe(finding))
  if (unread) console.log(`NOT READ   Payouts were not compared with the reward chain: ${unread}.`)
  const differing = findings.filter(({ differences }) => differences.length > 0).length
  if (differing > 0) console.log(`\n${differing} of ${findings.length} checks found differences.`)
  else console.log(unread ? '\nThe rows agree with each other.' : '\nEverything agrees.')
  process.exitCode = differing > 0 ? 1 : unread ? 2 : 0
} catch (error) {
  console.error('The audit could not look:', error)
  process.exitCode = 2
} finally {
  await orm.close(true)
  await database.close()
}

function connectRewardChain(env: Environment): PayoutChain | undefined {
  const urls = variables.XCR_RPC_URLS.schema.safeParse(env.XCR_RPC_URLS)
  const token = variables.XCR_TOKEN_ADDRESS.schema.safeParse(env.XCR_TOKEN_ADDRESS)
  if (!urls.success || !token.success) return undefined
  return createPayoutChain({
    XCR_RPC_URLS: urls.data,
    XCR_TOKEN_ADDRESS: token.data,
    XCR_CONFIRMATIONS: variables.XCR_CONFIRMATIONS.schema.parse(env.XCR_CONFIRMATIONS ?? variables.XCR_CONFIRMATIONS.fallback),
  })
}

function describe({ name, differences }: Finding): string {
  if (differences.length === 0) return `ok         ${name}`
  const more = differences.length - SHOWN
  return [
    `DIFFERENT  ${name}`,
    ...differences.slice(0, SHOWN).map((difference) => `             ${difference}`),
    ...(more > 0 ? [`             and ${more} more`] : []),
  ].join('\n')
}
