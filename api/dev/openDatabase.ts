import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Environment } from '#api/platform/config.ts'
import { variables } from '#api/platform/variables.ts'
import { claimStack, findRunningStack } from './runningStack.ts'
import type { Postgres } from './startPostgres.ts'

export interface OpenedDatabase {
  url: string
  /** The configuration of the database's installation. A stopped embedded stack provides only the database. */
  env: Environment
  /** Whether the chains are embedded. */
  demo: boolean
  close(): Promise<void>
}

const projectRoot = path.resolve(import.meta.dirname, '../..')

/**
 * Opens the database for an operator's command: the configured one; else, in development, that of the running embedded stack; else the
 * stopped embedded one, started for the duration of the command. Undefined if there is none.
 */
export async function openDatabase(): Promise<OpenedDatabase | undefined> {
  const envFile = path.join(projectRoot, '.env')
  if (existsSync(envFile)) process.loadEnvFile(envFile)
  const given: Environment = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()))
  if (given.NODE_ENV === 'production') {
    return given.DATABASE_URL ? { url: given.DATABASE_URL, env: given, demo: false, close: async () => {} } : undefined
  }
  const dataDir = path.resolve(projectRoot, given.DATA_DIR?.trim() || variables.DATA_DIR.fallback)
  const running = findRunningStack(dataDir)
  const env = { ...running?.env, ...given }
  if (env.DATABASE_URL) return { url: env.DATABASE_URL, env, demo: running?.demo ?? false, close: async () => {} }

  const files = path.join(dataDir, 'postgres')
  if (!existsSync(path.join(files, 'PG_VERSION'))) return undefined
  const claim = claimStack(dataDir)
  const [{ startPostgres }, { openRoles }] = await Promise.all([import('./startPostgres.ts'), import('./openRoles.ts')])
  let postgres: Postgres | undefined
  const close = async () => {
    await postgres?.stop()
    claim.release()
  }
  try {
    postgres = await startPostgres({ dataDir: files })
    const { url, ownerUrl } = await openRoles(postgres.url)
    return { url, env: { ...env, DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl }, demo: false, close }
  } catch (error) {
    await close()
    throw error
  }
}
