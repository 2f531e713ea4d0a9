import { MAX_NODES_AT_ONCE } from '#shared/sale.ts'

/** The number of nodes that was typed; undefined if it is none that the server accepts. */
export function readNodeCount(typed: string): number | undefined {
  const count = /^[1-9]\d*$/.test(typed.trim()) ? Number(typed) : Infinity
  return count <= MAX_NODES_AT_ONCE ? count : undefined
}
