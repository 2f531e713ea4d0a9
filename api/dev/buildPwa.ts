import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { spawnBound } from './spawnBound.ts'

const projectRoot = path.resolve(import.meta.dirname, '../..')
const dist = path.join(projectRoot, 'pwa/dist')
/** Folders of the PWA that do not end up in it. */
const notBuilt = ['dist', 'dev-dist', 'node_modules', 'e2e', 'testing']
/** Beside what was built, so that whoever empties the folder forgets it too. */
const stampFile = path.join(dist, '.built-from')

export class PwaBuildError extends Error {
  override name = 'PwaBuildError'

  constructor(output: string) {
    super(`The PWA could not be built:\n${output}`)
  }
}

/** Builds the PWA, unless what is there was built from the same sources. Answers whether it did. */
export async function buildPwa(): Promise<boolean> {
  const sources = await hashSources()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sources) return false
  const vite = createRequire(import.meta.url)
    .resolve('vite/package.json')
    .replace('package.json', 'bin/vite.js')
  const build = spawnBound(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    deathSignal: 'KILL',
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
    // What is built must not depend on who builds it.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  let output = ''
  for (const stream of [build.stdout, build.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = (await once(build, 'close')) as [number | null]
  if (code !== 0) throw new PwaBuildError(output)
  writeFileSync(stampFile, sources)
  return true
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  const names: string[] = []
  const sources = glob(['pwa/**/*', 'shared/**/*', 'package-lock.json', 'vite.config.ts'], {
    cwd: projectRoot,
    withFileTypes: true,
    exclude: (entry) => entry.name.includes('.test.') || notBuilt.includes(entry.name),
  })
  for await (const entry of sources) if (entry.isFile()) names.push(path.join(entry.parentPath, entry.name))
  for (const name of names.toSorted()) hash.update(`${path.relative(projectRoot, name)}\0`).update(await readFile(name))
  return hash.digest('hex')
}
