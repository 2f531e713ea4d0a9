import { Agent } from 'node:http'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { type Caller, callers } from '#api/testing/callers.ts'
import { nameOf } from '#api/testing/readContract.ts'
import { drawRequests, fill, type FuzzRequest } from './drawRequests.ts'
import { fitsContract, isAccepted, judgeAnswer } from './judgeAnswer.ts'
import { restore, type World } from './openWorld.ts'
import { forbidden, takeWrites } from './recordWrites.ts'
import { type Answer, sendRequest } from './sendRequest.ts'

export interface FuzzOptions {
  seed: number
  perEndpoint: number
  /** Told after each endpoint what was found there. */
  onEndpoint?: (name: string, findings: Finding[]) => void
}

export interface Finding {
  what: string
  /** How to send it again by hand. */
  request: string
}

export interface FuzzReport {
  requests: number
  accepted: number
  refused: number
  findings: Finding[]
}

/** No more at once than there may be files prepared at once. */
const AT_ONCE = 4

/**
 * Sends generated input to every endpoint, as everybody, and looks at each answer and at what was written. Requests that the product must
 * refuse go together, and nothing may be written by any of them; one that it may accept goes alone.
 */
export async function fuzzEndpoints(world: World, endpoints: readonly Endpoint[], options: FuzzOptions): Promise<FuzzReport> {
  const { server, rows } = world
  const em = () => server.services.orm.em.fork()
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const report: FuzzReport = { requests: 0, accepted: 0, refused: 0, findings: [] }
  const cookies = new Map<Caller, Record<string, string>>()
  for (const caller of callers) cookies.set(caller, await world.callers(caller))

  const find = (what: string, request: FuzzRequest) => void report.findings.push({ what, request: describe(request) })

  async function send(request: FuzzRequest): Promise<Answer | undefined> {
    const answer = await sendRequest(server.url, request, { agent, cookie: cookies.get(request.caller)! }).catch(
      (error: unknown) => {
        find(`gave no answer: ${String(error)}`, request)
        return undefined
      },
    )
    report.requests += 1
    if (!answer) return undefined
    report[isAccepted(answer) ? 'accepted' : 'refused'] += 1
    for (const what of judgeAnswer(request, answer)) find(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`, request)
    return answer
  }

  /** Finds which of several it was by asking each again. */
  async function sendTogether(requests: FuzzRequest[]): Promise<void> {
    const queue = [...requests]
    let hadEffect = false
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = queue.pop(); next; next = queue.pop()) {
          const answer = await send(next)
          hadEffect ||= answer !== undefined && isAccepted(answer) && next.endpoint.method !== 'GET'
        }
      }),
    )
    const writes = forbidden(await takeWrites(em()))
    if (writes.length === 0) return
    const before = report.findings.length
    for (const request of requests) await sendAlone(request)
    // What was accepted once may be answered again without being done again.
    if (report.findings.length === before && !hadEffect)
      find(`wrote ${writes.join(', ')}, but not when sent one by one`, requests[0]!)
  }

  async function sendAlone(request: FuzzRequest): Promise<void> {
    const answer = await send(request)
    const writes = await takeWrites(em())
    const isItsEffect = answer && isAccepted(answer) && request.endpoint.method !== 'GET' && fitsContract(request)
    if (isItsEffect) await recover(writes)
    else if (forbidden(writes).length > 0)
      find(`wrote ${forbidden(writes).join(', ')}, and answered ${answer?.status ?? 'nothing'}`, request)
  }

  /** What was accepted may have let others in, or ended sessions. */
  async function recover(writes: string[]): Promise<void> {
    const lost = writes.some((what) => /installation|session|half_login/.test(what))
    if (lost) await letIn()
  }

  async function letIn(): Promise<void> {
    await restore(world)
    for (const caller of callers) cookies.set(caller, await world.callers(caller))
    await takeWrites(em())
  }

  const names = new Set(endpoints.map(nameOf))
  /** By a wrong method it may be a right call of another endpoint, such as the one that lets everybody in. */
  const isNoOther = ({ endpoint, method }: FuzzRequest) => method === endpoint.method || !names.has(`${method} ${endpoint.path}`)

  await takeWrites(em())
  try {
    for (const endpoint of endpoints) {
      // A call that takes no body can be accepted among those that were meant to be bad.
      await letIn()
      const before = report.findings.length
      const requests = drawRequests(endpoint, { seed: options.seed, count: options.perEndpoint })
        .filter(isNoOther)
        .map((request) => fill(request, rows))
      const isEffective = (request: FuzzRequest) => endpoint.method !== 'GET' && fitsContract(request)
      await sendTogether(requests.filter((request) => !isEffective(request)))
      for (const request of requests.filter(isEffective)) await sendAlone(request)
      options.onEndpoint?.(nameOf(endpoint), report.findings.slice(before))
    }
  } finally {
    agent.destroy()
  }
  return report
}

function describe({ endpoint, kind, caller, method, path, headers, body, delivery }: FuzzRequest): string {
  const short = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}… (${text.length} letters)` : text)
  return [
    `${nameOf(endpoint)} as ${caller}: ${kind}${delivery === 'whole' ? '' : `, ${delivery}`}`,
    `${method} ${short(path)} ${short(JSON.stringify(headers))}`,
    body === undefined ? 'no body' : short(JSON.stringify(body)),
  ].join('\n    ')
}
