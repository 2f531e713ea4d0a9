import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buildPwa } from '#api/dev/buildPwa.ts'
import { buildServer } from '#api/dev/buildServer.ts'

/** The result of a step. */
interface Outcome {
  passed: number
  failed: number
  /** A line for each failed test, with the first line of its errors. */
  failures?: string[]
}

interface Step {
  name: string
  run(): Promise<Outcome>
}

const root = path.resolve(import.meta.dirname, '../..')
const MEMORY = '/dev/shm'
/** The largest size of the databases of a run with their write-ahead log, in bytes. */
const SCRATCH_SIZE = 4 * 2 ** 30
/**
 * The temporary files of the tests, in memory if there is space. Many tests create a database of about a thousand files, which takes
 * longer on a disk than the test itself.
 */
const scratch = mkdtempSync(path.join(hasSpace(MEMORY) ? MEMORY : os.tmpdir(), 'tests-'))
// Root starts PgBouncer as an unprivileged user, which must be able to enter its folder in here.
chmodSync(scratch, 0o711)
const fast = process.argv.includes('--fast')
const coverage = process.argv.includes('--coverage') ? ['--coverage'] : []
/** Only the tests that import what differs from the last commit, or from `--changed=<commit>`. Processes that tests start are not followed. */
const changed = process.argv.filter((argument) => /^--changed(=|$)/.test(argument))

/** A command that counts as one test. */
const check = (name: string, ...command: string[]): Step => ({
  name,
  async run() {
    const { code, output } = await execute(command, { quiet: true })
    if (code !== 0) process.stdout.write(output)
    return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
  },
})

const vitest = (name: string, ...args: string[]): Step => ({
  name,
  async run() {
    const file = path.join(scratch, `${name.replaceAll(/\W+/g, '-')}.json`)
    const { code } = await execute([
      'vitest',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...args,
    ])
    const counts = readReport(file)
    // A test file that fails to load reports no failed test.
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
  },
})

/** On one core each, beside each other: checkers that share a program work out its types several times. */
const statics = [
  check('types', 'tsc', '-b', '--checkers', '1'),
  check('lint', 'oxlint', '--type-aware', '--threads=1'),
  check('format', 'biome', 'format', '.'),
  check('dead code', 'knip'),
]
/** Tests mostly wait for the database and the chains, so one worker more than there are cores keeps the cores busy. */
const workers = ['--maxWorkers', String(os.availableParallelism() + 1)]
/** Each file runs its own browser and product, which is more than one core's work. */
const browserWorkers = ['--maxWorkers', String(Math.max(2, Math.floor(os.availableParallelism() / 2)))]
const tests = [
  vitest('unit, API, chain and component tests', '--project', 'api', '--project', 'pwa', ...workers, ...coverage, ...changed),
  ...(fast ? [] : [vitest('browser tests', '--project', 'e2e', ...browserWorkers)]),
]
/** Tests of the server need the built page. The processes that they start load in a third of the time from the bundle. */
const build: Step = {
  name: 'production build',
  async run() {
    try {
      await buildPwa()
      await buildServer()
      return { passed: 1, failed: 0 }
    } catch (error) {
      console.error(error)
      return { passed: 0, failed: 1 }
    }
  },
}
const steps = [build, ...tests]

process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.exitCode = (await runAll()) ? 0 : 1

async function runAll(): Promise<boolean> {
  const total = { passed: 0, failed: 0 }
  const failed: string[] = []
  const count = async (step: Step) => {
    const started = Date.now()
    const outcome = await step.run()
    total.passed += outcome.passed
    total.failed += outcome.failed
    if (outcome.failed > 0) failed.push(step.name, ...(outcome.failures ?? []).map((line) => `  ${line}`))
    const seconds = ((Date.now() - started) / 1_000).toFixed(1)
    console.log(`${outcome.failed === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)`)
  }
  await Promise.all(statics.map(count))
  for (const step of steps) await count(step)
  // Repeated last, because a log may be kept only in part.
  if (failed.length > 0) console.log(`\nFailed:\n${failed.join('\n')}`)
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
  return total.failed === 0
}

function execute([command, ...args]: string[], { quiet = false } = {}): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command!, args, {
      cwd: root,
      env: { ...process.env, TMPDIR: scratch },
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    })
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', (error) => resolve({ code: 1, output: `${error.message}\n` }))
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= SCRATCH_SIZE
  } catch {
    // The folder exists only on Linux.
    return false
  }
}

function readReport(file: string): Outcome {
  // A run that was killed leaves none.
  if (!existsSync(file)) return { passed: 0, failed: 0 }
  const report = JSON.parse(readFileSync(file, 'utf8')) as {
    numPassedTests: number
    numFailedTests: number
    testResults: { name: string; message: string; assertionResults: { title: string; failureMessages: string[] }[] }[]
  }
  const failures = report.testResults.flatMap(({ name, message, assertionResults }) => {
    const where = path.relative(root, name)
    const tests = assertionResults.flatMap(({ title, failureMessages }) =>
      failureMessages.map((failure) => `${where}: ${title}: ${summarize(failure)}`),
    )
    return message ? [`${where}: ${summarize(message)}`, ...tests] : tests
  })
  return { passed: report.numPassedTests, failed: report.numFailedTests, failures }
}

function summarize(failure: string): string {
  return failure.split('\n    at ')[0]!.replaceAll(/\s+/g, ' ').slice(0, 300)
}
