import { chmodSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ChainState } from './ChainState.ts'
import { callChain, callChainBatch } from './callChain.ts'
import { freePort } from './freePort.ts'
import { PortBusyError } from './PortBusyError.ts'
import { endProgram, spawnBound } from './spawnBound.ts'

export interface Chain {
  url: string
  port: number
  pid: number
  /** The first block of the last range without gaps: 0 unless old blocks were dropped. */
  firstBlock: number
  /** Saves the state now. */
  save: () => Promise<void>
  stop: () => Promise<void>
}

interface ChainOptions {
  chainId: number
  /** For the error about a port in use. */
  name?: string
  /** A free port by default. */
  port?: number
  portVariable?: string
  /**
   * - `everySecond`: a block every second, and immediately for each transaction.
   * - `instant`: a block for each transaction.
   * - `manual`: blocks on request.
   */
  mining?: 'everySecond' | 'instant' | 'manual'
  /** Stores the chain between starts. Without it the chain is not stored. */
  stateDir?: string
}

const mining = {
  everySecond: ['--block-time=1', '--mixed-mining'],
  instant: [],
  manual: ['--no-mining'],
} as const satisfies Record<NonNullable<ChainOptions['mining']>, readonly string[]>

/** The interval for saving blocks without transactions. Blocks with transactions are saved within a second. */
const IDLE_SAVE_SECONDS = 15

/** Runs an anvil chain on 127.0.0.1 until this process ends. */
export async function startChain({
  chainId,
  name = `chain ${chainId}`,
  port,
  portVariable,
  mining: mode = 'instant',
  stateDir,
}: ChainOptions): Promise<Chain> {
  const state = stateDir === undefined ? undefined : new ChainState(stateDir)
  const stored = await state?.load()
  const listenOn = port ?? (await freePort())
  const url = `http://127.0.0.1:${listenOn}`
  const anvil = spawnBound(
    findAnvil(),
    [
      '--host=127.0.0.1',
      `--port=${listenOn}`,
      `--chain-id=${chainId}`,
      '--accounts=0',
      // Makes `finalized` follow `latest` closely.
      '--slots-in-an-epoch=1',
      // Old states are not needed, and anvil would write gigabytes of them into the home folder.
      '--prune-history=200',
      '--no-request-size-limit',
      '--color=never',
      ...mining[mode],
      ...(state ? [`--dump-state=${state.exitFile}`] : []),
      ...(stored ? [`--load-state=${stored.file}`] : []),
    ],
    { deathSignal: 'TERM', stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let log = ''
  await new Promise<void>((resolve, reject) => {
    anvil.stderr?.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-4_000)))
    anvil.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('Listening on')) resolve()
    })
    anvil.once('error', reject)
    anvil.once('close', () =>
      reject(
        log.includes('Address already in use')
          ? new PortBusyError({ port: listenOn, part: `the embedded ${name}`, variable: portVariable })
          : new Error(`The embedded ${name} did not start:\n${log}`),
      ),
    )
  })
  await state?.loaded()
  if (stored && mode === 'everySecond') await catchUp(url)
  const saver = state && saveWhileRunning(url, state, stored?.head ?? 0)

  return {
    url,
    port: listenOn,
    pid: anvil.pid ?? 0,
    firstBlock: stored?.firstBlock ?? 0,
    save: async () => saver?.save(),
    async stop() {
      await saver?.stop()
      // Its state is saved, even if this cuts its own copy of it short.
      await endProgram(anvil, ['SIGTERM', 'SIGKILL'])
    },
  }
}

/**
 * A chain can lose its last empty blocks in a crash, but must not become shorter than the watcher's position. So it gets as
 * many new blocks as it can have lost, with their original times.
 */
async function catchUp(url: string): Promise<void> {
  const head = await callChain<{ timestamp: string }>(url, 'eth_getBlockByNumber', ['latest', false])
  const now = Math.floor(Date.now() / 1_000)
  const missing = Math.min(now - Number(head.timestamp), IDLE_SAVE_SECONDS + 5)
  if (missing <= 0) return
  await callChain(url, 'anvil_setBlockTimestampInterval', [1])
  await callChain(url, 'anvil_mine', [`0x${missing.toString(16)}`])
  await callChain(url, 'anvil_removeBlockTimestampInterval')
  await callChain(url, 'evm_setTime', [now])
}

/** Saves a chain's state within a second of a transaction, and periodically. */
function saveWhileRunning(
  url: string,
  state: ChainState,
  storedHead: number,
): { save: () => Promise<void>; stop: () => Promise<void> } {
  let seen = storedHead
  let dueAt = Date.now() + IDLE_SAVE_SECONDS * 1_000
  let earliest = 0
  let work = Promise.resolve()

  async function save(): Promise<void> {
    const started = Date.now()
    await state.save(await callChain<string>(url, 'anvil_dumpState'))
    const took = Date.now() - started
    // Saving a long chain is slow, so the interval grows with the duration.
    earliest = Date.now() + took * 3
    dueAt = Date.now() + Math.max(IDLE_SAVE_SECONDS * 1_000, took * 30)
  }

  async function saveIfDue(): Promise<void> {
    const head = Number(await callChain<string>(url, 'eth_blockNumber'))
    const from = Math.max(seen + 1, head - 50)
    const counts = await callChainBatch<string | null>(
      url,
      Array.from({ length: Math.max(0, head - from + 1) }, (_, index) => ({
        method: 'eth_getBlockTransactionCountByNumber',
        params: [`0x${(from + index).toString(16)}`],
      })),
    )
    seen = head
    if (counts.some((count) => Number(count) > 0)) dueAt = 0
    if (Date.now() >= Math.max(dueAt, earliest)) await save()
  }

  /** Runs jobs sequentially. Ignores failures, such as of a stopping chain, because the next save replaces them. */
  const queue = (job: () => Promise<void>) => (work = work.then(job).catch(() => {}))
  const timer = setInterval(() => void queue(saveIfDue), 1_000)
  timer.unref()
  return {
    save: () => queue(save),
    async stop() {
      clearInterval(timer)
      await queue(save)
    },
  }
}

function findAnvil(): string {
  const binary = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')
  try {
    chmodSync(binary, 0o755)
  } catch {
    // The file belongs to another user. It is already executable, or starting it fails with an error.
  }
  return binary
}
