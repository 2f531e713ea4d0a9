import { once } from 'node:events'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { freePort } from '#api/dev/freePort.ts'
import { spawnBound } from '#api/dev/spawnBound.ts'
import { type Comparison, median } from '../Comparison.ts'
import { mainScript, type Parts } from '../startParts.ts'

const ROUNDS = 7

/** Measures the time to the first answer of the fully configured web role, compared with a minimal Koa server. */
export async function measureColdStart(parts: Parts): Promise<[Comparison]> {
  const startProduct = () => timeToAnswer((port) => [mainScript, ['web'], parts.webEnv(port)])
  const startKoa = () => timeToAnswer((port) => [path.join(import.meta.dirname, 'bareKoaServer.ts'), [String(port)], {}])
  // The first start migrates the database and fills the file cache.
  await startProduct()
  await startKoa()
  const product: number[] = []
  const koa: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    koa.push(await startKoa())
    product.push(await startProduct())
  }
  return [
    {
      subject: 'cold start of the web role to its first answer',
      measured: `${Math.round(median(product))} ms`,
      comparedWith: `bare Koa, ${Math.round(median(koa))} ms`,
      ratio: median(product) / median(koa),
      goal: { bound: 'atMost', value: 5 },
    },
  ]
}

type Command = [script: string, args: string[], env: Record<string, string>]

/** Milliseconds until the program answers a request. */
async function timeToAnswer(commandOn: (port: number) => Command): Promise<number> {
  const port = await freePort()
  const [script, args, env] = commandOn(port)
  const started = performance.now()
  const child = spawnBound(process.execPath, [script, ...args], {
    deathSignal: 'KILL',
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  })
  const exited = once(child, 'exit')
  while (!(await isAnswering(port))) {
    if (child.exitCode !== null) throw new Error(`${script} ended before it answered.`)
    await delay(2)
  }
  const elapsed = performance.now() - started
  child.kill('SIGTERM')
  await exited
  return elapsed
}

function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () =>
      socket.write(`GET ${getNodeStats.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`),
    )
    socket.once('data', (chunk: Buffer) => {
      socket.destroy()
      resolve(chunk.toString('latin1').startsWith('HTTP/1.1 200'))
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
}
