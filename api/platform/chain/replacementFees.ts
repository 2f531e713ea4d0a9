import type { Fees } from './readFees.ts'

/** Nodes require at least 10 % more of both fees for a replacement, some of them rounded. */
const raise = (fee: bigint): bigint => (fee * 1_125n) / 1_000n + 1n
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** The least that nodes accept for a transaction instead of one with these fees, and no less than the chain asks now. */
export const replacementFees = (before: Fees, current: Fees): Fees => ({
  maxFeePerGas: larger(raise(before.maxFeePerGas), current.maxFeePerGas),
  maxPriorityFeePerGas: larger(raise(before.maxPriorityFeePerGas), current.maxPriorityFeePerGas),
})
