import { create } from 'zustand'
import type { CopyMessage } from './offlineCopies.ts'

/** When the figures on the page were taken, if the last answer was the service worker's copy; null while they are live. */
export const useCopyDate = create<{ takenAt: Date | null }>()(() => ({ takenAt: null }))

export function noteCopy({ takenAt }: CopyMessage): void {
  const date = new Date(takenAt)
  if (!Number.isNaN(date.getTime())) useCopyDate.setState({ takenAt: date })
}

export const noteLive = (): void => useCopyDate.setState({ takenAt: null })
