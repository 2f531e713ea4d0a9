import { hostOf, type RpcEndpoint } from './RpcEndpoint.ts'

/**
 * What the endpoints of a chain say of one thing.
 *
 * - agreed: as many hosts as it takes show it alike
 * - absent: as many hosts as it takes say that it does not exist, and no host shows it
 * - unknown: too few hosts answer, or too few show it; the others may lag behind
 * - disagree: hosts show different things, and no two show the same
 */
export type Agreement<Answer> =
  | { kind: 'agreed'; answer: Answer }
  | { kind: 'absent' }
  | { kind: 'unknown'; answeredBy: string[]; shownBy: string[]; cause: unknown }
  | { kind: 'disagree'; hosts: string[] }

interface Question<Answer> {
  /** Null where the endpoint does not have it. */
  read: (endpoint: RpcEndpoint) => Promise<Answer | null>
  /** Two answers are alike if this text is the same. */
  textOf: (answer: Answer) => string
}

interface Vote<Answer> {
  host: string
  answer: Answer
}

/** How many hosts must show the same thing before it is believed: two, or the only one that is configured (money.md 2). */
export const votesNeeded = (endpoints: readonly RpcEndpoint[]): number => Math.min(2, byHost(endpoints).length)

/**
 * Asks different hosts the same question and believes what two of them answer alike, so that one endpoint that lies decides nothing.
 * Several endpoints of one host have one vote. Hosts beyond the first two are asked only while nothing is agreed.
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
    const asked = await askHosts(round, read)
    votes.push(...asked.votes)
    cause ??= asked.cause
    shown = Map.groupBy(votes.filter(hasAnswer), ({ answer }) => textOf(answer))
    const agreed = [...shown.values()].find((alike) => alike.length >= needed)
    if (agreed) return { kind: 'agreed', answer: agreed[0]!.answer }
  }
  const shownBy = namesOf([...shown.values()].flat())
  if (shown.size > 1) return { kind: 'disagree', hosts: shownBy }
  if (shown.size === 0 && votes.length > 0 && votes.length >= needed) return { kind: 'absent' }
  return { kind: 'unknown', answeredBy: namesOf(votes), shownBy, cause }
}

/** Asks every host, and answers what those say that answer. */
export const askEachHost = async <Answer>(
  endpoints: readonly RpcEndpoint[],
  read: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer[]> => (await askHosts(byHost(endpoints), read)).votes.map(({ answer }) => answer)

/** The endpoints of each host: several of one host have one voice. */
export const byHost = (endpoints: readonly RpcEndpoint[]): RpcEndpoint[][] => [
  ...Map.groupBy(endpoints, ({ url }) => hostOf(url)).values(),
]

const namesOf = (votes: readonly Vote<unknown>[]): string[] => votes.map(({ host }) => host)

const hasAnswer = <Answer>(vote: Vote<Answer | null>): vote is Vote<Answer> => vote.answer !== null

async function askHosts<Answer>(
  hosts: readonly RpcEndpoint[][],
  read: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<{ votes: Vote<Answer>[]; cause: unknown }> {
  const asked = await Promise.allSettled(
    hosts.map(async (ofHost) => ({ host: hostOf(ofHost[0]!.url), answer: await askFirst(ofHost, read) })),
  )
  return {
    votes: asked.flatMap((vote) => (vote.status === 'fulfilled' ? [vote.value] : [])),
    cause: asked.find((vote) => vote.status === 'rejected')?.reason,
  }
}

/** What the first endpoint says that answers at all. */
async function askFirst<Answer>(
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
