import { create } from 'zustand'
import { readFromTab, storeInTab } from '#pwa/lib/deviceStorage.ts'

const STORAGE_KEY = 'admin_drafts'

interface Drafts {
  /** The administrator who is logged in; null until that is known. */
  owner: string | null
  texts: Record<string, unknown>
}

const channel = typeof window !== 'undefined' && 'BroadcastChannel' in window ? new BroadcastChannel(STORAGE_KEY) : undefined

const useDrafts = create<Drafts>()(() => ({ owner: null, texts: {} }))

/**
 * The state of a form that is kept while its administrator looks at another tab, which unmounts it, and over a reload, such as the one to
 * the login after the session has ended. A logout or another administrator's login ends it.
 */
export function useDraft<Draft>(key: string, blank: Draft): [Draft, (draft: Draft) => void] {
  const draft = useDrafts(({ texts }) => texts[key] as Draft | undefined)
  return [
    draft ?? blank,
    (next) => {
      const { owner, texts } = useDrafts.getState()
      keep({ owner, texts: { ...texts, [key]: next } })
    },
  ]
}

/** This administrator is logged in: takes up what they typed before, and forgets what another one did. */
export function ownDrafts(username: string): void {
  if (useDrafts.getState().owner === username) return
  const stored = readDrafts()
  const texts = stored?.owner === username ? stored.texts : {}
  useDrafts.setState({ owner: username, texts })
  if (stored && stored.owner !== username) storeInTab(STORAGE_KEY, null)
}

/** The administrator who is logged in has another name from now on. */
export const renameDrafts = (username: string): void => keep({ ...useDrafts.getState(), owner: username })

/** Nobody must see them until it is known who has logged in. */
export const hideDrafts = (): void => useDrafts.setState({ owner: null, texts: {} })

/** The administrator has logged out, which ends the session of every tab: the next one must not see them in any. */
export function forgetDrafts(): void {
  forgetInThisTab()
  channel?.postMessage(null)
}

function forgetInThisTab(): void {
  hideDrafts()
  storeInTab(STORAGE_KEY, null)
}

channel?.addEventListener('message', forgetInThisTab)

function keep(drafts: Drafts): void {
  useDrafts.setState(drafts)
  if (drafts.owner !== null) storeInTab(STORAGE_KEY, JSON.stringify(drafts))
}

function readDrafts(): Drafts | null {
  try {
    return JSON.parse(readFromTab(STORAGE_KEY) ?? 'null') as Drafts | null
  } catch {
    return null
  }
}
