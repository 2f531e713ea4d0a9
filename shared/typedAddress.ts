import { type Address, checksumAddress } from 'viem'
import { z } from 'zod'
import { address } from './wire/address.ts'

/**
 * Whether an address has lower and upper case letters that are not its EIP-55 checksum: it was mistyped, and nobody has the key of the
 * address it became. An address in one case carries no checksum.
 */
export function hasWrongChecksum(text: string): boolean {
  const digits = text.slice(2)
  if (!address.safeDecode(text).success || !/[a-f]/.test(digits) || !/[A-F]/.test(digits)) return false
  return checksumAddress(text as Address) !== text
}

/** Nobody owns the zero address: tokens refuse it, or are lost there. */
export const isZeroAddress = (hex: string): boolean => BigInt(hex) === 0n

/** An address as a person types or copies it. Kept apart from `address`, so that only pages with such a field load the hash. */
export const typedAddress = z
  .string()
  .refine((text) => !hasWrongChecksum(text), 'Please enter a valid Ethereum wallet address.')
  .pipe(address)
