import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import type { Cluster } from './Cluster.ts'
import type { ClusterNode } from './ClusterNode.ts'

export const primaryFaults = ['postgresKilled', 'powerLost', 'frozen', 'networkCut', 'diskFull', 'switchOver'] as const
export const otherFaults = ['standbyLost', 'etcdLeaderKilled'] as const
export type FaultKind = (typeof primaryFaults)[number] | (typeof otherFaults)[number]

/** The faults after which another server is the primary. */
export const takesPrimary = (kind: FaultKind): boolean => (primaryFaults as readonly FaultKind[]).includes(kind)

/** A write on a server that is no longer the primary, or that will not be for long. */
export interface FencedWrite {
  id: string
  /** Whether the server said that it was done, without a warning. */
  isAcknowledged: boolean
}

export interface InjectedFault {
  /** Ends the fault. @returns the writes that were tried on the old primary. */
  end(): Promise<FencedWrite[]>
}

/** In milliseconds. */
const LOCAL_WRITE_TIMEOUT = 45 * SECOND
const SWITCH_TIMEOUT = 30 * SECOND

const nothing: InjectedFault = { end: async () => [] }

export async function injectFault(cluster: Cluster, kind: FaultKind, id: string): Promise<InjectedFault> {
  const primary = await cluster.findPrimary()
  if (!primary) throw new Error('There is no primary.')
  const inject: Record<FaultKind, () => Promise<InjectedFault>> = {
    async postgresKilled() {
      primary.killPostgres()
      return nothing
    },

    async powerLost() {
      primary.powerOff()
      return { end: async () => (primary.powerOn(), []) }
    },

    async frozen() {
      primary.freeze()
      return {
        async end() {
          primary.thaw()
          return [await writeOn(cluster, primary, id)]
        },
      }
    },

    async networkCut() {
      primary.cutNetwork()
      const written = writeOn(cluster, primary, id)
      return {
        async end() {
          const writes = [await written]
          primary.healNetwork()
          return writes
        },
      }
    },

    async diskFull() {
      // A connection writes the cache of the catalogs if it is outdated. On the full disk none could be made, and the log would not fill.
      await primary.runLocally('select 1', { password: cluster.password, timeout: LOCAL_WRITE_TIMEOUT })
      await primary.disk.fill()
      await exhaustLog(cluster, primary)
      return { end: async () => (primary.disk.release(), []) }
    },

    async switchOver() {
      // Patroni refuses until it has noted which standby confirms.
      for (const deadline = Date.now() + SWITCH_TIMEOUT; ; await delay(SECOND))
        try {
          await cluster.switchOver()
          return nothing
        } catch (error) {
          if (Date.now() > deadline) throw error
        }
    },

    async standbyLost() {
      const standby = await cluster.findSynchronous()
      standby?.powerOff()
      return { end: async () => (standby?.powerOn(), []) }
    },

    async etcdLeaderKilled() {
      for (const node of cluster.nodes) if (await node.leadsEtcd()) node.killEtcd()
      return nothing
    },
  }
  return inject[kind]()
}

/** Writes a row on a server directly, past HAProxy, as a client that still has a connection to it would. */
async function writeOn(cluster: Cluster, node: ClusterNode, id: string): Promise<FencedWrite> {
  const { code, errors } = await node.runLocally(`insert into fenced_writes values ('${id}')`, {
    password: cluster.password,
    timeout: LOCAL_WRITE_TIMEOUT,
  })
  return { id, isAcknowledged: code === 0 && !errors.includes('WARNING') }
}

/** Fills the write-ahead log until its disk is full and the server stops. */
async function exhaustLog(cluster: Cluster, primary: ClusterNode): Promise<void> {
  for (let written = 0; written < 20; written += 1) {
    const { code } = await primary.runLocally(
      `set synchronous_commit = local; select pg_logical_emit_message(false, 'failover', repeat('x', 4000000)); select pg_switch_wal()`,
      { password: cluster.password, timeout: 10 * SECOND },
    )
    if (code !== 0) return
  }
}
