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

/** Measures the product's public statistics, compared with minimal servers. */
export async function measurePublicStats(parts: Parts): Promise<Comparison[]> {
  const programs: Program[] = []
  try {
    const web = await parts.startWeb()
    programs.push(web)
    const answerFile = path.join(parts.folder, 'answer.json')
    writeFileSync(answerFile, JSON.stringify(await readAnswer(web.port)))
    const startServer = async (script: string) => {
      const port = await freePort()
      programs.push(await startProgram(path.join(import.meta.dirname, script), [String(port), answerFile]))
      return port
    }
    const bare = { port: await startServer('bareHttpServer.ts'), rates: [] as number[] }
    const fastify = { port: await startServer('fastifyServer.ts'), rates: [] as number[] }
    const product = { port: web.port, rates: [] as number[] }

    const subjects = [bare, product, fastify]
    for (const { port } of subjects) await runWrk(port, 1)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { port, rates } of subjects) rates.push(await runWrk(port, SECONDS))
    }
    const [bareRate, productRate, fastifyRate] = subjects.map(({ rates }) => best(rates)) as [number, number, number]
    const subject = 'public statistics, all headers'
    const measured = perSecond(productRate)
    return [
      {
        subject,
        measured,
        comparedWith: `bare node:http writing the same bytes, ${perSecond(bareRate)}`,
        ratio: productRate / bareRate,
        goal: { bound: 'atLeast', value: 0.85 },
      },
      {
        subject,
        measured,
        comparedWith: `Fastify answering the same body, ${perSecond(fastifyRate)}`,
        ratio: productRate / fastifyRate,
        goal: { bound: 'atLeast', value: 0.9 },
      },
    ]
  } finally {
    for (const program of programs) await program.stop()
  }
}

/** Returns the exact answer of the product. */
async function readAnswer(port: number): Promise<{ headers: string[]; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${getNodeStats.path}`)
  const headers = [...response.headers].filter(([name]) => !NODE_HEADERS.includes(name))
  return { headers: headers.flat(), body: await response.text() }
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
