import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { freePort } from '#api/dev/freePort.ts'
import { best, type Comparison, perSecond } from '../Comparison.ts'
import { findTool } from '#api/testing/findTool.ts'
import type { Parts } from '../startParts.ts'
import { type Program, runCommand, startProgram } from '../startProgram.ts'

const ROUNDS = 3
const SECONDS = 4
/** Headers that Node.js adds. */
const NODE_HEADERS = ['date', 'connection', 'keep-alive']

/** Measures the product's public statistics, compared with a minimal Koa server. */
export async function measurePublicStats(parts: Parts): Promise<[Comparison]> {
  const programs: Program[] = []
  try {
    const web = await parts.startWeb()
    programs.push(web)
    const answerFile = path.join(parts.folder, 'answer.json')
    writeFileSync(answerFile, JSON.stringify(await readAnswer(web.port)))
    const port = await freePort()
    programs.push(await startProgram(path.join(import.meta.dirname, 'bareKoaServer.ts'), [String(port), answerFile]))
    const bare = { port, rates: [] as number[] }
    const product = { port: web.port, rates: [] as number[] }

    const subjects = [bare, product]
    for (const { port } of subjects) await runWrk(port, 1)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { port, rates } of subjects) rates.push(await runWrk(port, SECONDS))
    }
    const [bareRate, productRate] = [best(bare.rates), best(product.rates)]
    return [
      {
        subject: 'public statistics, all headers',
        measured: perSecond(productRate),
        comparedWith: `Koa answering the same headers and body, ${perSecond(bareRate)}`,
        ratio: productRate / bareRate,
        goal: { bound: 'atLeast', value: 0.9 },
      },
    ]
  } finally {
    for (const program of programs) await program.stop()
  }
}

/** Returns the exact answer of the product. */
async function readAnswer(port: number): Promise<{ headers: Record<string, string>; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${getNodeStats.path}`)
  const headers = [...response.headers].filter(([name]) => !NODE_HEADERS.includes(name))
  return { headers: Object.fromEntries(headers), body: await response.text() }
}

/** Returns the requests per second. */
async function runWrk(port: number, seconds: number): Promise<number> {
  const output = await runCommand(findTool('wrk'), [
    '--threads=1',
    '--connections=64',
    `--duration=${seconds}s`,
    `http://127.0.0.1:${port}${getNodeStats.path}`,
  ])
  const [, rate] = /^Requests\/sec:\s*([\d.]+)/m.exec(output) ?? []
  if (!rate || output.includes('Non-2xx')) throw new Error(`wrk failed:\n${output}`)
  return Number(rate)
}
