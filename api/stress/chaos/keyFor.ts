import { type Hex, keccak256, stringToHex } from 'viem'

/** Derives a private key from a seed and a name, so that the same seed gives the same wallets. */
export const keyFor = (seed: number, name: string): Hex => keccak256(stringToHex(`chaos ${seed} ${name}`))
