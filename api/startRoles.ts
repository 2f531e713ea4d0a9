import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createServer } from 'node:net'
import path from 'node:path'
import { type Config, type Environment, readConfig, refuseRealChains } from './platform/config.ts'
import { ConfigError } from './platform/ConfigError.ts'
import { variables } from './platform/variables.ts'

const roleNames = ['web', 'worker', 'watcher'] as const
type Role = (typeof roleNames)[number]

const projectRoot = path.resolve(import.meta.dirname, '..')

/** Stop functions of the started parts, in start order. */
const stops: (() => Promise<void>)[] = []
/** Milliseconds for the whole shutdown. Service managers commonly kill a process after ten seconds. */
const SHUTDOWN_TIMEOUT = 9_500

try {
  const { roles, dev, demo } = readArguments(process.argv.slice(2))
  const envFile = path.join(projectRoot, '.env')
  // Variables of the environment take precedence over those of the file.
  if (existsSync(envFile)) process.loadEnvFile(envFile)
  stopOnSignal()
  if (process.env.NODE_ENV === 'production') await startConfigured(roles)
  else {
    refuseRealChains(process.env)
    if (roles.size === roleNames.length) await startEverything({ dev, demo })
    else await joinRunningStack(roles)
  }
} catch (error) {
  await stopAll()
  console.error(explain(error))
  process.exit(1)
}

function readArguments(args: readonly string[]): { roles: ReadonlySet<Role>; dev: boolean; demo: boolean } {
  const names = args.filter((arg) => arg !== '--dev' && arg !== '--demo')
  const roles = new Set(names.flatMap((name) => (name === 'all' ? roleNames : roleNames.filter((role) => role === name))))
  const unknown = names.filter((name) => name !== 'all' && !roleNames.some((role) => role === name))
  const demo = args.includes('--demo')
  const mayBeDemo = roles.size === roleNames.length && process.env.NODE_ENV !== 'production'
  if (roles.size === 0 || unknown.length > 0 || (demo && !mayBeDemo)) {
    console.error(
      'Usage: node api/main.ts web|worker|watcher|all [--dev] [--demo]   (several roles may be named; --demo needs all)',
    )
    process.exit(2)
  }
  return { roles, dev: args.includes('--dev'), demo }
}

/** Runs only with the given configuration, without an embedded stack. */
async function startConfigured(
  roles: ReadonlySet<Role>,
  env: Environment = process.env,
  demo = false,
): Promise<string | undefined> {
  const config = readConfig(env, { demo })
  const { startProduct } = await import('./app/startProduct.ts')
  const product = await startProduct(config, { roles })
  stops.push(() => product.stop())
  // A process that is killed later would leave its successor nothing.
  flushCompileCache()
  product.log.info(`Running: ${[...roles].join(', ')}${product.url ? ` on ${product.url}` : ''}`)
  return product.url
}

/** Development: runs every role in one process, with embedded replacements for everything that is not configured. */
async function startEverything({ dev, demo }: { dev: boolean; demo: boolean }): Promise<void> {
  const [{ demoFolder, refuseSecondStack }, { startEmbeddedStack }, { buildPwa }, { describeStack }, { createProgress }] =
    await Promise.all([
      import('./dev/runningStack.ts'),
      import('./dev/startEmbeddedStack.ts'),
      import('./dev/buildPwa.ts'),
      import('./dev/describeStack.ts'),
      import('./platform/log/createProgress.ts'),
    ])
  const dataDir = demo ? demoFolder(findDataDir()) : findDataDir()
  refuseSecondStack(dataDir)
  await checkPort(Number(process.env.PORT?.trim() || variables.PORT.fallback))
  console.log('Starting …')
  const progress = createProgress()
  const reportTime = reportTimes()
  const report = (part: string) => {
    progress.end()
    reportTime(part)
  }
  const startingStack = startEmbeddedStack(process.env, { dataDir, onStarted: report }).then((stack) => {
    stops.push(stack.stop)
    return stack
  })
  const building = dev ? undefined : buildPwa(progress.show).then(() => report('page'))
  const [stack] = await Promise.all([startingStack, import('./app/startProduct.ts'), building])
  const config = readConfig(withConfigured(stack.env), { demo: stack.demo })
  const url = (await start(config, { roles: new Set(roleNames), viteDev: dev })) ?? `http://localhost:${config.PORT}`
  report('server')
  const dataFolder = path.relative(process.cwd(), dataDir) || dataDir
  const logins = demo ? await (await import('./dev/demo/openDemo.ts')).openDemo(config, { url, dataDir }) : undefined
  console.log(
    describeStack({
      url,
      parts: stack.parts,
      demo: stack.demo,
      dataDir: dataFolder,
      ...(logins && { logins }),
    }),
  )
}

/** Returns a function that prints a line for a ready part, with the seconds since the start. */
function reportTimes(): (part: string) => void {
  const startedAt = performance.now()
  return (part) => console.log(`  ${part.padEnd(8)}  ready after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
}

/** Development: runs additional roles with the embedded stack of the `npm start` on the same data folder, if there is one. */
async function joinRunningStack(roles: ReadonlySet<Role>): Promise<void> {
  const { findRunningStack } = await import('./dev/runningStack.ts')
  const stack = findRunningStack(findDataDir())
  try {
    const config = readConfig(withConfigured(stack?.env ?? {}), { demo: stack?.demo ?? false })
    announce(roles, await start(config, { roles }))
  } catch (error) {
    if (!stack && error instanceof ConfigError)
      throw new ConfigError([...error.problems, 'no embedded stack is running to provide it: run npm start'])
    throw error
  }
}

/** Starts the product. Returns the URL of the website if the web role is included. */
async function start(config: Config, options: { roles: ReadonlySet<Role>; viteDev?: boolean }): Promise<string | undefined> {
  const { startProduct } = await import('./app/startProduct.ts')
  const extraRoutes = config.demo ? [(await import('./dev/demo/demoRoutes.ts')).demoRoutes] : []
  const product = await startProduct(config, { ...options, extraRoutes })
  stops.push(() => product.stop())
  return product.url
}

function announce(roles: ReadonlySet<Role>, url: string | undefined): void {
  console.log(`Running: ${[...roles].join(', ')}${url ? `, on ${url}` : ''}`)
}

/** Merges the configured values over the embedded ones. */
function withConfigured(embedded: Environment): Environment {
  return { ...embedded, ...Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim())) }
}

function findDataDir(): string {
  return path.resolve(projectRoot, process.env.DATA_DIR?.trim() || variables.DATA_DIR.fallback)
}

/** Checks that the port is free before anything is started. */
async function checkPort(port: number): Promise<void> {
  const server = createServer().listen(port)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** Stops gracefully on a signal or when the parent npm ends; exits immediately on a second signal. */
function stopOnSignal(): void {
  let stoppedAt: number | undefined
  const stop = async () => {
    // The terminal and npm may both forward the same Ctrl-C.
    if (stoppedAt !== undefined) return Date.now() - stoppedAt > 500 ? process.exit(1) : undefined
    stoppedAt = Date.now()
    if (process.env.NODE_ENV !== 'production') console.log('\nStopping …')
    await stopAll()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
  // A closed output stream must not interrupt the shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  if (process.env.npm_lifecycle_event && process.env.NODE_ENV !== 'production')
    void import('./dev/watchParent.ts').then(({ watchParent }) => watchParent(() => void stop()))
}

/** Stops the parts in reverse order, so that no part uses one that has already stopped. */
async function stopAll(): Promise<void> {
  setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT).unref()
  for (const stop of stops.splice(0).toReversed()) await stop().catch(console.error)
}

/** Returns only the message of errors that the operator can fix, and other errors with their stack. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (['ConfigError', 'DemoError', 'PortBusyError', 'PwaBuildError', 'StackRunningError'].includes(error.name))
    return error.message
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port} for the website is in use by another program. End that program, or set PORT to a free port.`
  return error
}
