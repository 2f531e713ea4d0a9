import { MikroORM } from '@mikro-orm/postgresql'
import { parseArgs } from 'node:util'
import type { Environment } from '#api/platform/config.ts'
import { variables } from '#api/platform/variables.ts'
import { readDatabaseTime } from '#api/platform/clock/readDatabaseTime.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { createProgress } from '#api/platform/log/createProgress.ts'
import { openDatabase } from '#api/dev/openDatabase.ts'
import { auditAll } from './auditAll.ts'
import type { Finding } from './auditDatabase.ts'
import { createDepositChain } from './createDepositChain.ts'
import { createPayoutChains } from './createPayoutChains.ts'
import { describeLeftOut, recordFullAudit } from './fullAudit.ts'

const HELP = `npm run audit [-- --all]

Recomputes every balance, count, price and reward from the rows of DATABASE_URL, or of the embedded database (running or not), and
compares deposits and payouts with both chains. Changes nothing of what it reads.

  --all   compares the deposits of every block since DEPOSIT_START_BLOCK, all refunds, and the rows of archived months with their hashes, and
          records that it did: every other audit says when that was. The default is the blocks since the last daily audit and the 1,000 blocks
          before them, or every block if there has been no daily audit.
  --help  prints this text.

Exits with 0 if everything agrees, 1 if something differs (one line per difference), 2 if a part could not be checked.`

/** Limits the printed differences of one check. */
const MAX_PRINTED_DIFFERENCES = 20

const options = readOptions()
if (!options || options.help) {
  console.log(HELP)
  process.exit(options ? 0 : 2)
}
const database = await openDatabase()
if (database === undefined) {
  console.error('There is no database to audit: set DATABASE_URL, or run npm start once.')
  process.exit(2)
}
const progress = createProgress()
const orm = new MikroORM(ormOptions({ url: database.url, poolSize: 1 }))
try {
  const { all = false } = options
  const at = await readDatabaseTime(orm.em.fork())
  const audit = await auditAll(orm.em.fork(), {
    ...readChains(database.env),
    all,
    onProgress: progress.show,
  })
  progress.end()
  const { findings, unread } = audit
  for (const finding of findings) console.log(describe(finding))
  for (const reason of unread) console.log(`NOT READ   ${reason}.`)
  if (all) await recordFullAudit(orm.em.fork(), audit, at).catch(describeUnrecorded)
  else console.log(`LEFT OUT   ${await describeLeftOut(orm.em.fork())}.`)
  const differing = findings.filter(({ differences }) => differences.length > 0).length
  if (differing > 0) console.log(`\n${differing} of ${findings.length} checks found differences.`)
  else console.log(unread.length > 0 ? '\nThe rows agree with each other.' : '\nEverything agrees.')
  process.exitCode = differing > 0 ? 1 : unread.length > 0 ? 2 : 0
} catch (error) {
  progress.end()
  console.error('The audit failed:', error)
  process.exitCode = 2
} finally {
  await orm.close(true)
  await database.close()
}

/** A replica and a role that only reads can be audited too. */
function describeUnrecorded(error: unknown): void {
  console.log(`NOT RECORDED  This audit is not in the database: ${(error as Error).message}.`)
}

/** Undefined if there is an unknown option. */
function readOptions(): { all?: boolean; help?: boolean } | undefined {
  try {
    return parseArgs({ options: { all: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } }).values
  } catch {
    return undefined
  }
}

/** Each chain is optional: the rows can be audited without it. */
function readChains(env: Environment): Pick<Parameters<typeof auditAll>[1], 'paymentChain' | 'rewardChain' | 'startBlock'> {
  const bsc = variables.BSC_RPC_URLS.schema.safeParse(env.BSC_RPC_URLS)
  const xcr = variables.XCR_RPC_URLS.schema.safeParse(env.XCR_RPC_URLS)
  const token = variables.XCR_TOKEN_ADDRESS.schema.safeParse(env.XCR_TOKEN_ADDRESS)
  const { DEPOSIT_START_BLOCK, USDT_ADDRESS, PAYMENT_CONFIRMATIONS, XCR_CONFIRMATIONS } = variables
  return {
    startBlock: DEPOSIT_START_BLOCK.schema.parse(env.DEPOSIT_START_BLOCK ?? DEPOSIT_START_BLOCK.fallback),
    paymentChain: bsc.success
      ? createDepositChain({
          BSC_RPC_URLS: bsc.data,
          USDT_ADDRESS: USDT_ADDRESS.schema.parse(env.USDT_ADDRESS ?? USDT_ADDRESS.fallback),
          PAYMENT_CONFIRMATIONS: PAYMENT_CONFIRMATIONS.schema.parse(env.PAYMENT_CONFIRMATIONS ?? PAYMENT_CONFIRMATIONS.fallback),
        })
      : undefined,
    rewardChain:
      xcr.success && token.success
        ? createPayoutChains({
            XCR_RPC_URLS: xcr.data,
            XCR_TOKEN_ADDRESS: token.data,
            XCR_CONFIRMATIONS: XCR_CONFIRMATIONS.schema.parse(env.XCR_CONFIRMATIONS ?? XCR_CONFIRMATIONS.fallback),
          })
        : undefined,
  }
}

function describe({ name, differences }: Finding): string {
  if (differences.length === 0) return `ok         ${name}`
  const more = differences.length - MAX_PRINTED_DIFFERENCES
  return [
    `DIFFERENT  ${name}`,
    ...differences.slice(0, MAX_PRINTED_DIFFERENCES).map((difference) => `             ${difference}`),
    ...(more > 0 ? [`             and ${more} more`] : []),
  ].join('\n')
}
