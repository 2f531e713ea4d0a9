import { type Hex, keccak256, stringToHex } from 'viem'

/** A private key that belongs to a seed and a name: the same run has the same wallets. */
export const keyFor = (seed: number, name: string): Hex => keccak256(stringToHex(`chaos ${seed} ${name}`))
