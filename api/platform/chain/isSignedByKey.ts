import type { SignedText } from './ChainClient.ts'

/** Whether the address's own key signed the text. Needs no chain. */
export async function isSignedByKey({ wallet, message, signature }: SignedText): Promise<boolean> {
  // Loaded lazily, because viem is as large as the rest of the server.
  const { recoverMessageAddress } = await import('viem')
  const signer = await recoverMessageAddress({ message, signature }).catch(() => undefined)
  return signer?.toLowerCase() === wallet.toLowerCase()
}
