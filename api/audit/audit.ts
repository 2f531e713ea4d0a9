import { MikroORM } from '@mikro-orm/postgresql'
import { ormOptions } from '../db/ormOptions.ts'
import { openDatabase } from '../dev/openDatabase.ts'
import { auditBooks, type Finding } from './auditBooks.ts'

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
  for (const finding of findings) console.log(describe(finding))
  const differing = findings.filter(({ differences }) => differences.length > 0).length
  console.log(differing === 0 ? '\nEverything agrees.' : `\n${differing} of ${findings.length} checks found differences.`)
  process.exitCode = differing === 0 ? 0 : 1
} catch (error) {
  console.error('The audit could not look:', error)
  process.exitCode = 2
} finally {
  await orm.close(true)
  await database.close()
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
