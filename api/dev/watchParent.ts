import { readProcess } from './readProcess.ts'

/**
 * Calls back when whoever started this process is gone. A killed npm passes nothing on, and its child would run for ever.
 */
export function watchParent(onGone: () => void): void {
  const family = findFamily()
  const timer = setInterval(() => {
    if (family.every(({ pid, parent }) => parentOf(pid) === parent)) return
    clearInterval(timer)
    onGone()
  }, 500)
  timer.unref()
}

/** This process and the shells between it and npm, each with its parent. */
function findFamily(): { pid: number; parent: number }[] {
  const family = [{ pid: process.pid, parent: process.ppid }]
  for (;;) {
    const pid = family.at(-1)?.parent
    if (pid === undefined || !isShell(pid)) return family
    const parent = parentOf(pid)
    if (parent === undefined) return family
    family.push({ pid, parent })
  }
}

const isShell = (pid: number) => ['sh', 'dash', 'bash', 'zsh', 'busybox'].includes(readProcess(pid)?.name ?? '')

/** Undefined where the system does not say, or the process is gone. */
const parentOf = (pid: number) => (pid === process.pid ? process.ppid : readProcess(pid)?.parent)
