import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { onCleanup, useShared } from './testing/onCleanup.ts'
import { readProcess } from './dev/readProcess.ts'

const freePorts = Object.fromEntries(
  ['PORT', ...['POSTGRES', 'BSC', 'XCR', 'SMTP', 'MAILBOX'].map((part) => `EMBEDDED_${part}_PORT`)].map((name) => [name, '0']),
)

interface Run {
  process: ChildProcess
  output: () => string
  /** Resolves when the output contains the text, and rejects if the program ends before. */
  prints: (text: string, timeout?: number) => Promise<void>
  ended: Promise<number | null>
}

/** Runs the program in development, with free ports and a new data folder. */
function run(args: readonly string[], env: Record<string, string> = {}, command: readonly string[] = ['node']): Run {
  const [program = 'node', ...rest] = [...command, path.join(import.meta.dirname, 'main.ts'), ...args]
  const child = spawn(program, rest, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...freePorts, DATA_DIR: makeFolder(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    process: child,
    output: () => output,
    ended,
    prints: async (text, timeout = 100_000) => {
      const fail = (what: string) => {
        throw new Error(`It ${what} before it printed "${text}":\n${output}`)
      }
      const over = ended.then((code) => output.includes(text) || fail(`exited with ${code}`))
      const printed = vi
        .waitUntil(() => output.includes(text), { timeout })
        .catch(() => fail(`ran for ${timeout / SECOND} seconds`))
      printed.catch(() => {})
      await Promise.race([printed, over])
    },
  }
}

function makeFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stack-'))
  onCleanup(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** The data of the first start, on which later tests start again: creating a database and chains takes longer. */
const used = useShared(async () => ({ dataDir: makeFolder() }))

/** Returns all descendants of a process. */
function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

async function post(url: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

const allGone = (pids: readonly number[]) => vi.waitUntil(() => pids.every((pid) => !readProcess(pid)), { timeout: 30_000 })

test('all starts every part, prints the URL, refuses a second start, and Ctrl-C stops every part', async () => {
  const { dataDir } = used
  const first = run(['all', '--dev'], { DATA_DIR: dataDir })
  await first.prints('Ctrl-C stops everything')
  const { pid = 0 } = first.process
  const parts = descendantsOf(pid)
  expect(parts.length).toBeGreaterThanOrEqual(3)
  const [, url = ''] = /is running: (\S+)/.exec(first.output()) ?? []
  expect(await post(`${url}/api/demo/fund`, { address: `0x${'a'.repeat(40)}` })).toBe(200)
  expect(await post(`${url}/api/demo/clock`, { advanceHours: 24 })).toBe(200)
  expect(await post(`${url}/api/demo/clock`, { advanceHours: 32 * 24 })).toBe(400)
  for (const name of ['database', 'payment chain', 'reward chain', 'mail', 'mailbox'])
    expect(first.output()).toContain(`    ${name} `)

  const second = run(['all', '--dev'], { DATA_DIR: dataDir })
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain(`It is already running as process ${pid}, on the data in ${dataDir}.`)

  const worker = run(['worker'], { DATA_DIR: dataDir })
  await worker.prints('Running: worker')
  worker.process.kill('SIGTERM')
  expect(await worker.ended).toBe(0)

  first.process.kill('SIGINT')
  expect(await first.ended).toBe(0)
  await allGone(parts)
  expect(existsSync(path.join(dataDir, 'stack.json'))).toBe(false)
})

test('--demo fills a separate folder once and prints the logins, and the audit finds no differences', {
  timeout: 900_000,
}, async () => {
  const dataDir = makeFolder()
  const start = async () => {
    const demo = run(['all', '--dev', '--demo'], { DATA_DIR: dataDir })
    await demo.prints('Ctrl-C stops everything', 500_000)
    const [, url = ''] = /is running: (\S+)/.exec(demo.output()) ?? []
    const [, admin, username, password] = /administrator {2}(\S+) {2}(\S+) {2}(\S+)/.exec(demo.output()) ?? []
    expect(admin).toBe(`${url}/admin1`)
    expect(await post(`${url}/api/admin/login`, { username, password })).toBe(200)
    const [, word] = /each with the password (\S+)/.exec(demo.output()) ?? []
    const emails = demo.output().match(/\w+@example\.com/g)!
    expect(emails).toHaveLength(4)
    for (const email of emails) expect(await post(`${url}/api/login`, { email, password: word })).toBe(200)
    return { demo, url }
  }
  const first = await start()
  const stats = await (await fetch(`${first.url}/api/stats/nodes`)).json()
  expect(stats).toMatchObject({ totalSold: 332 })
  const audit = spawn('node', [path.join(import.meta.dirname, 'integrity/audit.ts')], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect((await once(audit, 'close'))[0]).toBe(0)
  first.demo.process.kill('SIGINT')
  await first.demo.ended

  const second = await start()
  expect(second.demo.output()).not.toContain('Filling the demo')
  expect(await (await fetch(`${second.url}/api/stats/nodes`)).json()).toEqual(stats)
  expect(existsSync(path.join(dataDir, 'postgres'))).toBe(false)
})

test('--demo is refused in production and for single roles', async () => {
  for (const refused of [run(['all', '--demo'], { NODE_ENV: 'production' }), run(['web', '--demo'])]) {
    expect(await refused.ended).toBe(2)
    expect(refused.output()).toContain('--demo needs all')
  }
})

test('after kill -9 no part keeps running, and the next start uses the same data', async () => {
  const { dataDir } = used
  const killed = run(['all', '--dev'], { DATA_DIR: dataDir })
  await killed.prints('Ctrl-C stops everything')
  const parts = descendantsOf(killed.process.pid ?? 0)
  killed.process.kill('SIGKILL')
  await allGone(parts)

  const again = run(['all', '--dev'], { DATA_DIR: dataDir })
  await again.prints('Ctrl-C stops everything')
  again.process.kill('SIGTERM')
  expect(await again.ended).toBe(0)
})

test('it stops when its parent npm ends', async () => {
  const shell = ['sh', '-c', 'node "$@"; true', 'sh']
  const started = run(['all', '--dev'], { npm_lifecycle_event: 'dev', DATA_DIR: used.dataDir }, shell)
  await started.prints('Ctrl-C stops everything')
  const parts = descendantsOf(started.process.pid ?? 0)
  started.process.kill('SIGKILL')
  await allGone(parts)
})

test('a website port in use is reported with its variable, and no part keeps running', async () => {
  const other = createServer().listen(0)
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const refused = run(['all', '--dev'], { PORT: String(port) })
  expect(await refused.ended).toBe(1)
  expect(refused.output()).toBe(
    `Port ${port} for the website is in use by another program. End that program, or set PORT to a free port.\n`,
  )
})

test('production without configuration lists every missing variable, and starts no embedded stack', async () => {
  const dataDir = makeFolder()
  const refused = run(['all'], { NODE_ENV: 'production', DATA_DIR: dataDir })
  expect(await refused.ended).toBe(1)
  for (const name of ['PUBLIC_URL', 'DATABASE_URL', 'DEPOSIT_START_BLOCK', 'PAYOUT_PRIVATE_KEY'])
    expect(refused.output()).toContain(`  - ${name} is missing`)
  expect(existsSync(path.join(dataDir, 'keys.json'))).toBe(false)
})

test.each([['all'], ['worker']])(
  '%s with chains of other machines is refused outside production, and starts nothing',
  async (role) => {
    const dataDir = makeFolder()
    const refused = run([role], {
      DATA_DIR: dataDir,
      BSC_RPC_URLS: 'http://127.0.0.1:8545,https://bsc.example',
      DEPOSIT_ADDRESS: `0x${'a'.repeat(40)}`,
      XCR_RPC_URLS: 'http://localhost:8546',
      XCR_TOKEN_ADDRESS: `0x${'b'.repeat(40)}`,
      PAYOUT_PRIVATE_KEY: 'cd'.repeat(32),
    })
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toContain('NODE_ENV must be production: bsc.example is a chain of another machine')
    expect(existsSync(path.join(dataDir, 'keys.json'))).toBe(false)
  },
)

test('a single role without configuration and embedded stack prints what to do', async () => {
  const refused = run(['worker'])
  expect(await refused.ended).toBe(1)
  expect(refused.output()).toContain('run npm start')
})

test('an unknown role prints the usage', async () => {
  const refused = run(['everything'])
  expect(await refused.ended).toBe(2)
  expect(refused.output()).toContain('web|worker|watcher|all')
})
