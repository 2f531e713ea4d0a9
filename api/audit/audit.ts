import { MikroORM } from '@mikro-orm/postgresql'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { variables } from '../config.ts'
import { ormOptions } from '../db/ormOptions.ts'
import { findRunningStack } from '../dev/runningStack.ts'
import { auditBooks, type Finding } from './auditBooks.ts'

/** `npm run audit`: exits 0 if everything agrees, 1 if something differs, 2 if it could not look. Changes nothing. */

const projectRoot = path.resolve(import.meta.dirname, '../..')
/** Of what is wrong in one place, this many examples. */
const SHOWN = 20

const url = findDatabase()
if (url === undefined) {
  console.error('There is no database to audit: set DATABASE_URL, or run it while npm start runs.')
  process.exit(2)
}
const orm = new MikroORM(ormOptions({ url, poolSize: 1 }))
try {
  const findings = await auditBooks(orm.em.fork())
  for (const finding of findings) console.log(describe(finding))
  const differing = findings.filter(({ differences }) => differences.length > 0).length
  console.log(differing === 0 ? '\nEverything agrees.' : `\n${differing} of ${findings.length} checks found differences.`)
  process.exitCode = differing === 0 ? 0 : 1
} catch (error) {
  console.error('The audit could not look:', error)
  process.exitCode = 2
} finally {
  await orm.close(true)
}

function findDatabase(): string | undefined {
  const envFile = path.join(projectRoot, '.env')
  if (existsSync(envFile)) process.loadEnvFile(envFile)
  const dataDir = path.resolve(projectRoot, process.env.DATA_DIR?.trim() || variables.DATA_DIR.fallback)
  return process.env.DATABASE_URL?.trim() || findRunningStack(dataDir)?.env.DATABASE_URL
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
