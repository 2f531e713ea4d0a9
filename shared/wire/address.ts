import { z } from 'zod'

type Hex = `0x${string}`

/** Any letter case on the wire; in code lower case, as stored and compared. */
const lowerCaseHex = (pattern: RegExp, message: string) =>
  z.codec(z.string().regex(pattern, message), z.custom<Hex>(), {
    decode: (text) => text.toLowerCase() as Hex,
    encode: (hex) => hex,
  })

/** An EVM account address. */
export const address = lowerCaseHex(/^0x[0-9a-fA-F]{40}$/, 'Please enter a valid Ethereum wallet address.')

/** The hash of a transaction. */
export const transactionHash = lowerCaseHex(/^0x[0-9a-fA-F]{64}$/, 'Not a valid transaction hash format, 0x + 64 characters.')
