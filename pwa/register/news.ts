import { create } from 'zustand'
import type { TickName } from './Report.ts'

/** What this device verified last of the account's nodes. */
export interface CheckedNodes {
  /** The register's day. */
  day: string
  nodes: number
  /** XCR of that day, in the smallest unit. */
  reward: string
}

/** A failed verification. It stays until the person has seen it. */
export interface Alarm {
  /** ISO UTC. */
  at: string
  /** Each tick that failed, with what failed and the bytes as evidence. */
  failures: { tick: TickName; detail: string; evidence?: string }[]
}

interface RegisterNews {
  checked: CheckedNodes | null
  alarm: Alarm | null
}

/** Prefix of what the device remembers of one account. */
export const OWN_MEMORY = 'register_own:'

/** Forgets what the device knows of the accounts of its users. */
export function forgetOwnNodes(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(OWN_MEMORY)) localStorage.removeItem(key)
  } catch {
    // Storage is denied: there is nothing in it.
  }
  useRegisterNews.setState({ checked: null })
}

/** Free of everything that verifies, so that every page can import it. */
export const useRegisterNews = create<RegisterNews>()(() => ({ checked: null, alarm: null }))
