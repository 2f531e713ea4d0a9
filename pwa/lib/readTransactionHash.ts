/** A hash, or a block explorer's address of a transaction. */
const HASH = /(?:^|\/)(0x[0-9a-f]{64})(?:[/?#].*)?$/i

/** Reads the hash of a transaction as typed or pasted. Undefined if there is none. */
export const readTransactionHash = (text: string) => HASH.exec(text.trim())?.[1]?.toLowerCase() as `0x${string}` | undefined
