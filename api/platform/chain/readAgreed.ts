import { ChainUnavailable } from './ChainClient.ts'
import { hostOf, type RpcEndpoint } from './RpcEndpoint.ts'

/**
 * The combined result of a query to several endpoints.
 *
 * - agreed: enough hosts show the same answer
 * - absent: enough hosts answer that it does not exist, and no host shows it
 * - unknown: too few hosts answer or show it; the others may lag behind
 * - disagree: hosts show different answers, and no two agree
 */
export type Agreement<Answer> =
  | { kind: 'agreed'; answer: Answer }
  | { kind: 'absent' }
  | { kind: 'unknown'; answeredBy: string[]; shownBy: string[]; cause: unknown }
  | { kind: 'disagree'; hosts: string[] }

interface Question<Answer> {
  /** Null if the endpoint does not have it. */
  read: (endpoint: RpcEndpoint) => Promise<Answer | null>
  /** The text by which answers are compared. */
  textOf: (answer: Answer) => string
}

interface Vote<Answer> {
  host: string
  answer: Answer
}

/** The number of hosts that must agree: two, or one if only one is configured (money.md 2). */
export const votesNeeded = (endpoints: readonly RpcEndpoint[]): number => Math.min(2, byHost(endpoints).length)

/**
 * Queries different hosts and accepts the answer on which two agree, so that a single lying endpoint decides nothing. Several
 * endpoints of one host count as one vote. Further hosts are queried only if the first two do not agree.
 */
export async function readAgreed<Answer>(
  endpoints: readonly RpcEndpoint[],
  { read, textOf }: Question<Answer>,
): Promise<Agreement<Answer>> {
  const needed = votesNeeded(endpoints)
  const hosts = byHost(endpoints)
  const votes: Vote<Answer | null>[] = []
  let cause: unknown
  let shown = new Map<string, Vote<Answer>[]>()
  for (const round of [hosts.slice(0, needed), hosts.slice(needed)]) {
    const outcome = await readFromHosts(round, read)
    votes.push(...outcome.votes)
    cause ??= outcome.cause
    shown = Map.groupBy(votes.filter(hasAnswer), ({ answer }) => textOf(answer))
    const agreed = [...shown.values()].find((alike) => alike.length >= needed)
    if (agreed) return { kind: 'agreed', answer: agreed[0]!.answer }
  }
  const shownBy = namesOf([...shown.values()].flat())
  if (shown.size > 1) return { kind: 'disagree', hosts: shownBy }
  if (shown.size === 0 && votes.length > 0 && votes.length >= needed) return { kind: 'absent' }
  return { kind: 'unknown', answeredBy: namesOf(votes), shownBy, cause }
}

/** Queries every host and returns the answers of those that respond. */
export const readFromEachHost = async <Answer>(
  endpoints: readonly RpcEndpoint[],
  read: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer[]> => (await readFromHosts(byHost(endpoints), read)).votes.map(({ answer }) => answer)

/** As `readFromEachHost`. @throws ChainUnavailable, with the reason of one, if fewer answer than must agree. */
export async function readFromEnoughHosts<Answer>(
  endpoints: readonly RpcEndpoint[],
  read: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer[]> {
  const { votes, cause } = await readFromHosts(byHost(endpoints), read)
  if (votes.length < votesNeeded(endpoints)) throw new ChainUnavailable('Too few RPC endpoints answer.', { cause })
  return votes.map(({ answer }) => answer)
}

/** Groups endpoints by host, because endpoints of one host count as one vote. */
export const byHost = (endpoints: readonly RpcEndpoint[]): RpcEndpoint[][] => [
  ...Map.groupBy(endpoints, ({ url }) => hostOf(url)).values(),
]

const namesOf = (votes: readonly Vote<unknown>[]): string[] => votes.map(({ host }) => host)

const hasAnswer = <Answer>(vote: Vote<Answer | null>): vote is Vote<Answer> => vote.answer !== null

async function readFromHosts<Answer>(
  hosts: readonly RpcEndpoint[][],
  read: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<{ votes: Vote<Answer>[]; cause: unknown }> {
  const outcomes = await Promise.allSettled(
    hosts.map(async (ofHost) => ({ host: hostOf(ofHost[0]!.url), answer: await readFromFirst(ofHost, read) })),
  )
  return {
    votes: outcomes.flatMap((vote) => (vote.status === 'fulfilled' ? [vote.value] : [])),
    cause: outcomes.find((vote) => vote.status === 'rejected')?.reason,
  }
}

/** The answer of the first endpoint that responds, or the error of the last one. */
export async function readFromFirst<Answer>(
  endpoints: readonly RpcEndpoint[],
  read: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer> {
  let last: unknown
  for (const endpoint of endpoints) {
    try {
      return await read(endpoint)
    } catch (error) {
      last = error
    }
  }
  throw last
}
