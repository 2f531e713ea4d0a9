import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { glob, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { spawnBound } from './spawnBound.ts'

const projectRoot = path.resolve(import.meta.dirname, '../..')
const dist = path.join(projectRoot, 'pwa/dist')
/** Folders of the PWA that do not end up in it. */
const notBuilt = ['dist', 'dev-dist', 'node_modules', 'bench', 'e2e', 'testing']
/** Beside what was built, so that whoever empties the folder forgets it too. */
const STAMP = '.built-from'

class PwaBuildError extends Error {
  override name = 'PwaBuildError'

  constructor(output: string) {
    super(`The PWA could not be built:\n${output}`)
  }
}

/** Builds the PWA, unless what is there was built from the same sources. Answers whether it did. */
export async function buildPwa(): Promise<boolean> {
  const sources = await hashSources()
  if (isBuiltFrom(sources)) return false
  // Built beside its place and moved there when complete: another process may be serving or building the same.
  const unfinished = path.join(projectRoot, '.cache', `pwa-${process.pid}`)
  const former = `${unfinished}-former`
  try {
    await runVite(unfinished)
    writeFileSync(path.join(unfinished, STAMP), sources)
    // Taken away whole: another process may be doing the same, or there is none.
    await rename(dist, former).catch(() => {})
    await rename(unfinished, dist).catch((error: unknown) => {
      // Another process that built the same was faster.
      if (!isBuiltFrom(sources)) throw error
    })
    return true
  } finally {
    for (const folder of [unfinished, former]) await rm(folder, { recursive: true, force: true })
  }
}

async function runVite(outDir: string): Promise<void> {
  const vite = createRequire(import.meta.url)
    .resolve('vite/package.json')
    .replace('package.json', 'bin/vite.js')
  const build = spawnBound(process.execPath, [vite, 'build', '--logLevel', 'warn', '--outDir', outDir, '--emptyOutDir'], {
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
}

function isBuiltFrom(sources: string): boolean {
  try {
    return readFileSync(path.join(dist, STAMP), 'utf8') === sources
  } catch {
    return false
  }
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
