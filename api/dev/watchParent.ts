import { readProcess } from './readProcess.ts'

/**
 * Calls back when the npm that started this process has ended. A killed npm forwards no signal, so its child would keep running.
 */
export function watchParent(onEnd: () => void): void {
  const ancestors = findAncestors()
  const timer = setInterval(() => {
    if (ancestors.every(({ pid, parent }) => parentOf(pid) === parent)) return
    clearInterval(timer)
    onEnd()
  }, 500)
  timer.unref()
}

/** Returns this process and the shells between it and npm, each with its parent. */
function findAncestors(): { pid: number; parent: number }[] {
  const ancestors = [{ pid: process.pid, parent: process.ppid }]
  for (;;) {
    const pid = ancestors.at(-1)?.parent
    if (pid === undefined || !isShell(pid)) return ancestors
    const parent = parentOf(pid)
    if (parent === undefined) return ancestors
    ancestors.push({ pid, parent })
  }
}

const isShell = (pid: number) => ['sh', 'dash', 'bash', 'zsh', 'busybox'].includes(readProcess(pid)?.name ?? '')

/** Undefined if the system does not provide it or the process has ended. */
const parentOf = (pid: number) => (pid === process.pid ? process.ppid : readProcess(pid)?.parent)
