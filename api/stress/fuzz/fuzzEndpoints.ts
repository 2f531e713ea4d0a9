import { Agent } from 'node:http'
import { type Caller, callers } from '#api/testing/callers.ts'
import { nameOf } from '#api/testing/readContract.ts'
import { generateRequests, fill, type FuzzRequest, pickFirstOfEachTrait } from './generateRequests.ts'
import { fitsDescription, isAccepted, judgeAnswer } from './judgeAnswer.ts'
import { restore, type World } from './openWorld.ts'
import { forbidden, takeWrites } from './recordWrites.ts'
import type { DescribedCall } from './readDescription.ts'
import { type Answer, sendRequest } from './sendRequest.ts'

export interface FuzzOptions {
  seed: number
  /** The number of generated requests to each endpoint. */
  perEndpoint: number
  /** Sends only the first request of each trait. */
  onePerTrait?: boolean
  /** Called with the findings of each endpoint. */
  onEndpoint?: (name: string, findings: Finding[]) => void
}

export interface Finding {
  what: string
  /** A description for sending it again by hand. */
  request: string
}

export interface FuzzReport {
  requests: number
  accepted: number
  refused: number
  findings: Finding[]
  /** What the requests to each endpoint tried. */
  traits: Map<DescribedCall, Set<string>>
}

/** Equals the number of exports that may be prepared concurrently. */
const MAX_CONCURRENT_REQUESTS = 4

/**
 * Sends generated requests to every endpoint as every caller, and checks each answer and the written rows. Requests that the product must
 * refuse are sent concurrently, and none of them may write anything. Requests that it may accept are sent one by one.
 */
export async function fuzzEndpoints(
  world: World,
  endpoints: readonly DescribedCall[],
  options: FuzzOptions,
): Promise<FuzzReport> {
  const { server, rows } = world
  const em = () => server.services.orm.em.fork()
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONCURRENT_REQUESTS })
  const report: FuzzReport = { requests: 0, accepted: 0, refused: 0, findings: [], traits: new Map() }
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

  /** Sends requests concurrently. If any of them wrote rows, finds it by sending each again. */
  async function sendTogether(requests: FuzzRequest[]): Promise<void> {
    const queue = [...requests]
    let hadEffect = false
    await Promise.all(
      Array.from({ length: MAX_CONCURRENT_REQUESTS }, async () => {
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
    // An accepted request may be answered again without having its effect again.
    if (report.findings.length === before && !hadEffect)
      find(`wrote ${writes.join(', ')}, but not when sent one by one`, requests[0]!)
  }

  async function sendAlone(request: FuzzRequest): Promise<void> {
    const answer = await send(request)
    const writes = await takeWrites(em())
    const isItsEffect = answer && isAccepted(answer) && request.endpoint.method !== 'GET' && fitsDescription(request)
    if (isItsEffect) await recover(writes)
    else if (forbidden(writes).length > 0)
      find(`wrote ${forbidden(writes).join(', ')}, and answered ${answer?.status ?? 'nothing'}`, request)
  }

  /** Restores access after an accepted request that changed it. */
  async function recover(writes: string[]): Promise<void> {
    const lost = writes.some((what) => /installation|session|half_login/.test(what))
    if (lost) await restoreAccess()
  }

  async function restoreAccess(): Promise<void> {
    await restore(world)
    for (const caller of callers) cookies.set(caller, await world.callers(caller))
    await takeWrites(em())
  }

  const names = new Set(endpoints.map(nameOf))
  /** With another method it may be a valid call of another endpoint, such as the one that removes the address restriction. */
  const isNoOther = ({ endpoint, method }: FuzzRequest) => method === endpoint.method || !names.has(`${method} ${endpoint.path}`)

  await takeWrites(em())
  try {
    for (const endpoint of endpoints) {
      // An endpoint without a body may have accepted one of the bad requests.
      await restoreAccess()
      const before = report.findings.length
      const generated = generateRequests(endpoint, { seed: options.seed, count: options.perEndpoint }).filter(isNoOther)
      const requests = (options.onePerTrait ? pickFirstOfEachTrait(generated) : generated).map((request) => fill(request, rows))
      report.traits.set(endpoint, new Set(requests.flatMap(({ traits }) => traits)))
      const isEffective = (request: FuzzRequest) => endpoint.method !== 'GET' && fitsDescription(request)
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
