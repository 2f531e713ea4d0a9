import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Fleet } from './startFleet.ts'

export interface Resources {
  /** The largest memory of one process, in MiB. */
  memory: number
  /** The largest number of open files and sockets of one process. */
  descriptors: number
  /** The largest number of connections to the database. */
  connections: number
  /** CPU seconds of each part. */
  processor: Record<string, number>
  /** CPU seconds of all cores. */
  available: number
  /** CPU seconds of other programs. */
  usedByOthers: number
}

/** In milliseconds. */
const SAMPLE_INTERVAL = 500
/** The unit of CPU times in `/proc`. */
const TICKS_PER_SECOND = 100

/** Samples the resources of the processes twice a second. */
export function watchResources({
  parts,
  members,
  nginx,
}: Pick<Fleet, 'parts' | 'members' | 'nginx'>): Resources & { stop(): Promise<void> } {
  const seen: Resources = { memory: 0, descriptors: 0, connections: 0, processor: {}, available: 0, usedByOthers: 0 }
  const clocks = new Map<number, { part: string; ticks: number }>()
  const ticksBefore = readTotalTicks()
  const begun = performance.now()
  let sampling: Promise<void> = Promise.resolve()

  const clock = (part: string, pid: number) => {
    const ticks = readTicks(pid)
    const before = clocks.get(pid)?.ticks
    clocks.set(pid, { part, ticks })
    if (before !== undefined) seen.processor[part] = (seen.processor[part] ?? 0) + Math.max(0, ticks - before) / TICKS_PER_SECOND
  }

  const sample = async () => {
    for (const { pid = 0, role } of members) {
      seen.memory = Math.max(seen.memory, readMemory(pid))
      seen.descriptors = Math.max(seen.descriptors, countDescriptors(pid))
      clock(role === 'web' ? 'web' : 'worker and watcher', pid)
    }
    for (const pid of childrenOf(nginx.pid)) clock('nginx', pid)
    for (const pid of childrenOf(parts.postgres.pid)) clock('database', pid)
    for (const pid of childrenOf(process.pid)) if (read(`/proc/${pid}/cmdline`).includes('load/drive.ts')) clock('driver', pid)
    const { rows } = await parts.database.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    seen.connections = Math.max(seen.connections, rows[0]!.count)
  }
  const timer = setInterval(() => (sampling = sampling.then(sample)), SAMPLE_INTERVAL)

  return Object.assign(seen, {
    async stop() {
      clearInterval(timer)
      await sampling
      const ours = Object.values(seen.processor).reduce((sum, seconds) => sum + seconds, 0)
      seen.available = ((performance.now() - begun) / 1_000) * availableParallelism()
      seen.usedByOthers = Math.max(0, (readTotalTicks() - ticksBefore) / TICKS_PER_SECOND - ours)
    },
  })
}

/** In MiB; 0 if the process has ended. */
export function readMemory(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`)) ?? []
  return Math.round(Number(kilobytes ?? 0) / 1_024)
}

export function countDescriptors(pid: number | undefined): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

/** The CPU time of a process in user and system mode. */
function readTicks(pid: number): number {
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
}

/** The CPU time of all processes of the machine. */
function readTotalTicks(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = read('/proc/stat')
    .split('\n')[0]!
    .split(/ +/)
    .slice(1)
    .map(Number)
  return user + nice + system + irq + softirq
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
