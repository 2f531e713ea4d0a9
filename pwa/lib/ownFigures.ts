import { getAuthUser } from '#shared/contract/identity.ts'
import { getUserNodes } from '#shared/contract/nodes.ts'
import { listPurchases } from '#shared/contract/purchases.ts'
import { listDistributions } from '#shared/contract/rewards.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'

/** What of a person is kept on their device for the time without a connection: what the dashboard and the history show. */
export const ownPaths: ReadonlySet<string> = new Set(
  [getAuthUser, getUserNodes, listPurchases, listDistributions, listWithdrawals].map(({ path }) => path),
)

interface KeptAnswer {
  text: string
  /** ISO UTC. */
  takenAt: string
}

interface Snapshot {
  userId: string
  answers: Record<string, KeptAnswer>
}

const STORAGE_PREFIX = 'own_figures:'
const CHANNEL = 'session'

/** Read since it was last forgotten; whose they are is known once the account itself was read. */
let answers: Record<string, KeptAnswer> = {}
let userId: string | null = null
/** Grows whenever everything is forgotten: an answer asked for before that is not kept after it. */
let generation = 0

const channel = typeof window !== 'undefined' && 'BroadcastChannel' in window ? new BroadcastChannel(CHANNEL) : undefined

export const currentGeneration = (): number => generation

/** Keeps an answer under the name of whoever is logged in. */
export function keepOwnFigure(path: string, text: string, askedIn: number): void {
  if (askedIn !== generation) return
  answers[path] = { text, takenAt: new Date().toISOString() }
  if (path === getAuthUser.path) noteUser((JSON.parse(text) as { id: string }).id)
  if (userId) write({ userId, answers })
}

/** What was last read of the person who used this device last. */
export function readOwnFigure(path: string): { text: string; takenAt: Date } | null {
  const kept = readSnapshot()?.answers[path]
  return kept ? { text: kept.text, takenAt: new Date(kept.takenAt) } : null
}

/** Whether anything of anybody is kept on this device. */
export const hasOwnFigures = (): boolean => readSnapshot() !== null

/** Forgets the person, in this tab and in every other one of this browser. */
export function forgetOwnFigures(): void {
  const wasKnown = userId !== null || readSnapshot() !== null
  clear()
  if (wasKnown) channel?.postMessage({ userId: null })
}

/** Calls back when another tab has logged somebody out or somebody else in. What this tab had kept is forgotten by then. */
export function followOtherTabs(onChange: (other: { userId: string | null }) => void): () => void {
  function hear({ data }: MessageEvent<{ userId: string | null }>) {
    if (data.userId !== null && data.userId === userId) return
    // The storage is the other tab's business: it may have written the next person's figures already.
    answers = {}
    userId = null
    generation++
    onChange(data)
  }
  channel?.addEventListener('message', hear)
  return () => channel?.removeEventListener('message', hear)
}

function noteUser(id: string): void {
  if (id === userId) return
  const account = answers[getAuthUser.path]!
  // Somebody else than a moment ago: nothing that was read before belongs to them.
  if (userId !== null) answers = { [getAuthUser.path]: account }
  const stored = readSnapshot()
  if (stored?.userId === id) answers = { ...stored.answers, ...answers }
  else clearStorage()
  userId = id
  channel?.postMessage({ userId })
}

function clear(): void {
  answers = {}
  userId = null
  generation++
  clearStorage()
}

function clearStorage(): void {
  try {
    for (const key of storedKeys()) localStorage.removeItem(key)
  } catch {
    // Storage is denied: nothing is in it.
  }
}

const storedKeys = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(STORAGE_PREFIX))

function readSnapshot(): Snapshot | null {
  try {
    const [key] = storedKeys()
    if (!key) return null
    return {
      userId: key.slice(STORAGE_PREFIX.length),
      answers: JSON.parse(localStorage.getItem(key) ?? '{}') as Snapshot['answers'],
    }
  } catch {
    return null
  }
}

function write(snapshot: Snapshot): void {
  try {
    localStorage.setItem(STORAGE_PREFIX + snapshot.userId, JSON.stringify(snapshot.answers))
  } catch {
    // Full or denied: there is no snapshot then.
    clearStorage()
  }
}
