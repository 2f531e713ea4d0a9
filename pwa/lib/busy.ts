import { useEffect } from 'react'
import { create } from 'zustand'

/** A web lock that every tab with a running task shares. */
const BUSY_LOCK = 'busy'

const useTasks = create<{ running: ReadonlySet<symbol> }>()(() => ({ running: new Set() }))

/** A payment, a code or a signature is in progress in this tab: nothing may reload the page. */
export const isBusy = (): boolean => useTasks.getState().running.size > 0

export const useIsBusy = (): boolean => useTasks(({ running }) => running.size > 0)

/** Marks a task as running until the returned function is called. */
export function startTask(): () => void {
  const task = Symbol('task')
  useTasks.setState(({ running }) => ({ running: new Set([...running, task]) }))
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  void navigator.locks?.request(BUSY_LOCK, { mode: 'shared' }, () => held).catch(() => undefined)
  return () => {
    release()
    useTasks.setState(({ running }) => ({ running: new Set([...running].filter((one) => one !== task)) }))
  }
}

/** Marks a task as running while `isRunning` and mounted. */
export function useTask(isRunning: boolean): void {
  useEffect(() => (isRunning ? startTask() : undefined), [isRunning])
}

/** Whether a task is running in any tab of this browser. */
export async function isAnyTabBusy(): Promise<boolean> {
  if (isBusy()) return true
  if (!navigator.locks) return false
  return navigator.locks.request(BUSY_LOCK, { mode: 'exclusive', ifAvailable: true }, (lock) => lock === null)
}
