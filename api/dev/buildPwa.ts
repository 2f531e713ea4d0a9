import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { glob, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { SECOND } from '#shared/dates.ts'
import { hashFiles } from '#api/platform/loadProgram.ts'
import { spawnBound } from './spawnBound.ts'

const projectRoot = path.resolve(import.meta.dirname, '../..')
const dist = path.join(projectRoot, 'pwa/dist')
/** Folders whose files are not part of the build. */
const notBuilt = ['dist', 'dev-dist', 'node_modules', 'bench', 'e2e', 'testing']
/** Contains the hash of the sources. It is inside the output folder, so that it is deleted together with the build. */
const STAMP = '.built-from'

/** What vite prints when it begins a step, in their order. */
const steps = ['transforming', 'rendering chunks', 'computing gzip size']

class PwaBuildError extends Error {
  override name = 'PwaBuildError'

  constructor(output: string) {
    super(`The PWA could not be built:\n${output}`)
  }
}

/**
 * Builds the PWA unless the present build is from the same sources. Returns whether it was built.
 *
 * @param onProgress is called with each step, and again every second while it takes.
 */
export async function buildPwa(onProgress?: (step: string) => void): Promise<boolean> {
  const sources = await hashSources()
  if (isBuiltFrom(sources)) return false
  // Built in another folder and moved when complete, because another process may be serving or building the PWA.
  const unfinished = path.join(projectRoot, '.cache', `pwa-${process.pid}`)
  const former = `${unfinished}-former`
  try {
    await runVite(unfinished, onProgress)
    writeFileSync(path.join(unfinished, STAMP), sources)
    // Fails if there is no build, or if another process has moved it.
    await rename(dist, former).catch(() => {})
    await rename(unfinished, dist).catch((error: unknown) => {
      // Another process has finished the same build first.
      if (!isBuiltFrom(sources)) throw error
    })
    return true
  } finally {
    for (const folder of [unfinished, former]) await rm(folder, { recursive: true, force: true })
  }
}

async function runVite(outDir: string, onProgress: (step: string) => void = () => {}): Promise<void> {
  const vite = createRequire(import.meta.url)
    .resolve('vite/package.json')
    .replace('package.json', 'bin/vite.js')
  const build = spawnBound(process.execPath, [vite, 'build', '--logLevel', 'info', '--outDir', outDir, '--emptyOutDir'], {
    deathSignal: 'KILL',
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The build must not depend on the environment of the caller.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  let output = ''
  let step = 'Building the pages'
  for (const stream of [build.stdout, build.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const latest = steps.findLast((name) => text.includes(name))
      if (latest !== undefined) step = `Building the pages: ${latest}`
    })
  }
  onProgress(step)
  const timer = setInterval(() => onProgress(step), SECOND)
  const [code] = (await once(build, 'close').finally(() => clearInterval(timer))) as [number | null]
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
  const files: string[] = []
  const sources = glob(['pwa/**/*', 'shared/**/*', 'package-lock.json', 'vite.config.ts'], {
    cwd: projectRoot,
    withFileTypes: true,
    exclude: (entry) => entry.name.includes('.test.') || notBuilt.includes(entry.name),
  })
  for await (const entry of sources)
    if (entry.isFile()) files.push(path.relative(projectRoot, path.join(entry.parentPath, entry.name)))
  return hashFiles(files)
}
