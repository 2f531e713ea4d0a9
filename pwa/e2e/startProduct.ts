import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '#api/dev/freePort.ts'

export interface Product {
  url: string
  mailboxUrl: string
  paymentRpcUrl: string
  databaseUrl: string
  isFilled: boolean
  dataDir: string
  /** The end of what it has printed. */
  readLog: () => string
  /** Stops the product and deletes its data, unless it is to be kept. */
  stop: (options?: { keepData: boolean }) => Promise<void>
}

const projectRoot = path.resolve(import.meta.dirname, '../..')

/** Fewer than on mainnet, so that tests do not wait for fifteen blocks. */
const CONFIRMATIONS = 4

/** In characters: enough for the lines of one test. */
const LOG_LENGTH = 20_000

export interface ProductOptions {
  /** Seeded as by `npm start -- --demo`: an administrator, holders, ten days of rewards. */
  isFilled?: boolean
  /** Overrides of the default configuration. */
  env?: Record<string, string>
  /** The data folder of a stopped product, of which this one starts with a copy. */
  data?: string
}

/** Starts the whole product as `npm start` does, on free ports and with its own data folder. */
export async function startProduct({ isFilled = false, env = {}, data }: ProductOptions = {}): Promise<Product> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'e2e-'))
  if (data) await cp(data, dataDir, { recursive: true })
  const [web, postgres, bsc, xcr, smtp, mailbox] = (await freePorts(6)) as [number, number, number, number, number, number]
  const child = spawn(process.execPath, ['api/main.ts', 'all', ...(isFilled ? ['--demo'] : [])], {
    cwd: projectRoot,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      PORT: String(web),
      EMBEDDED_POSTGRES_PORT: String(postgres),
      EMBEDDED_BSC_PORT: String(bsc),
      EMBEDDED_XCR_PORT: String(xcr),
      EMBEDDED_SMTP_PORT: String(smtp),
      EMBEDDED_MAILBOX_PORT: String(mailbox),
      PAYMENT_CONFIRMATIONS: String(CONFIRMATIONS),
      XCR_CONFIRMATIONS: String(CONFIRMATIONS),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-LOG_LENGTH)
        if (log.includes('is running:')) resolve()
      })
    child.once('exit', (code) => reject(new Error(`The product did not start (${code}):\n${log}`)))
  })
  return {
    url: `http://localhost:${web}`,
    mailboxUrl: `http://127.0.0.1:${mailbox}`,
    paymentRpcUrl: `http://127.0.0.1:${bsc}`,
    databaseUrl: `postgres://postgres:postgres@127.0.0.1:${postgres}/postgres`,
    isFilled,
    dataDir,
    readLog: () => log,
    async stop({ keepData } = { keepData: false }) {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
      if (!keepData) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}
