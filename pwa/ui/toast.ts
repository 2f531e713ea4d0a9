import { create } from 'zustand'

/** Time until a toast closes by itself. */
export const TOAST_DURATION = 5_000
/** Time until a closed toast is removed. */
const REMOVE_DELAY = 1_000_000
const TOAST_LIMIT = 1
/** A refusal that is younger than this when a dialog opens is why it opens. */
const REASON_AGE = 1_000

export interface ToastContent {
  title: string
  description?: string | undefined
  destructive?: boolean
}

export interface ToastState extends ToastContent {
  id: number
  isOpen: boolean
  shownAt: number
}

export const useToasts = create<{ toasts: ToastState[] }>()(() => ({ toasts: [] }))

let lastId = 0

/** Shows a toast in place of the previous one. */
export function toast(content: ToastContent): { id: number; dismiss: () => void } {
  const id = ++lastId
  useToasts.setState(({ toasts }) => ({
    toasts: [{ ...content, id, isOpen: true, shownAt: Date.now() }, ...toasts].slice(0, TOAST_LIMIT),
  }))
  return { id, dismiss: () => dismissToast(id) }
}

export function dismissToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.map((one) => (one.id === id ? { ...one, isOpen: false } : one)) }))
  setTimeout(() => useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) })), REMOVE_DELAY)
}

/** Closes a refusal of what was done before: it would lie over the dialog that opens. */
export function dismissPastRefusal(): void {
  for (const { id, isOpen, destructive, shownAt } of useToasts.getState().toasts)
    if (isOpen && destructive && Date.now() - shownAt > REASON_AGE) dismissToast(id)
}
