import type { SignedText } from './ChainClient.ts'

/** Whether the key of this very address signed the text. Needs no chain. */
export async function isSignedByKey({ wallet, message, signature }: SignedText): Promise<boolean> {
  // Brought when it is first needed: it is as large as the rest of the server.
  const { recoverMessageAddress } = await import('viem')
  const signer = await recoverMessageAddress({ message, signature }).catch(() => undefined)
  return signer?.toLowerCase() === wallet.toLowerCase()
}
