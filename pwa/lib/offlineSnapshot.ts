import { getAuthUser } from '#shared/contract/identity.ts'
import { countUnread, listInbox } from '#shared/contract/inbox.ts'
import { getUserNodes } from '#shared/contract/nodes.ts'
import { listPurchases } from '#shared/contract/purchases.ts'
import { listDistributions } from '#shared/contract/rewards.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'

/** The user's data that is stored on the device for offline use: that of the dashboard, the history and the inbox. */
export const snapshotPaths: ReadonlySet<string> = new Set(
  [getAuthUser, getUserNodes, listPurchases, listDistributions, listWithdrawals, listInbox, countUnread].map(({ path }) => path),
)

interface StoredAnswer {
  text: string
  /** ISO UTC. */
  takenAt: string
}

interface Snapshot {
  userId: string
  answers: Record<string, StoredAnswer>
}

const STORAGE_PREFIX = 'own_figures:'
const CHANNEL = 'session'

/** Stored since the last deletion; the user is known once the account itself was fetched. */
let answers: Record<string, StoredAnswer> = {}
let userId: string | null = null
/** Incremented on every deletion: a response to an earlier request is not stored. */
let generation = 0

const channel = typeof window !== 'undefined' && 'BroadcastChannel' in window ? new BroadcastChannel(CHANNEL) : undefined

export const currentGeneration = (): number => generation

/** Stores a response for the logged-in user. */
export function storeInSnapshot(path: string, text: string, requestGeneration: number): void {
  if (requestGeneration !== generation) return
  answers[path] = { text, takenAt: new Date().toISOString() }
  if (path === getAuthUser.path) setSnapshotUser((JSON.parse(text) as { id: string }).id)
  if (userId) write({ userId, answers })
}

/** The stored data of the last user of this device. */
export function readFromSnapshot(path: string): { text: string; takenAt: Date } | null {
  const kept = readSnapshot()?.answers[path]
  return kept ? { text: kept.text, takenAt: new Date(kept.takenAt) } : null
}

/** Whether the device has any stored data. */
export const hasSnapshot = (): boolean => readSnapshot() !== null

/** Deletes the stored data, in every tab of this browser. */
export function deleteSnapshot(): void {
  const hadSnapshot = userId !== null || readSnapshot() !== null
  clear()
  if (hadSnapshot) channel?.postMessage({ userId: null })
}

/** Calls back when another tab has logged out or logged in as another user. This tab's data is deleted by then. */
export function followOtherSessions(onChange: (other: { userId: string | null }) => void): () => void {
  function handleMessage({ data }: MessageEvent<{ userId: string | null }>) {
    if (data.userId !== null && data.userId === userId) return
    // This tab may have stored an answer after the other one had deleted all. The next user's data, which the other tab may have written
    // already, is left alone.
    if (data.userId === null && userId !== null) clearStorage(userId)
    answers = {}
    userId = null
    generation++
    onChange(data)
  }
  channel?.addEventListener('message', handleMessage)
  return () => channel?.removeEventListener('message', handleMessage)
}

function setSnapshotUser(id: string): void {
  if (id === userId) return
  const account = answers[getAuthUser.path]!
  // Another user: none of the earlier data is theirs.
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

function clearStorage(ofUser = ''): void {
  try {
    for (const key of storedKeys().filter((key) => key.startsWith(STORAGE_PREFIX + ofUser))) localStorage.removeItem(key)
  } catch {
    // Storage is denied: there is nothing in it.
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
    // Full or denied: no data is stored.
    clearStorage()
  }
}
