import type { Hex } from 'viem'

/** Keys are configured in hex, with or without the prefix `0x`. */
const withoutPrefix = (hex: string): string => hex.replace(/^0x/, '')

export const bytesOfKey = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(withoutPrefix(hex), 'hex'))

/** As viem takes it. */
export const prefixedKey = (hex: string): Hex => `0x${withoutPrefix(hex)}`
