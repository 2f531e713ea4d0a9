import type { Eip1193Provider } from './Eip1193Provider.ts'
import { returnToSession } from './returnToSession.ts'

/** Asks the wallet to sign a text that it shows to the user. */
export async function signMessage(
  provider: Eip1193Provider,
  { address, message }: { address: `0x${string}`; message: string },
): Promise<string> {
  const bytes = [...new TextEncoder().encode(message)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  // A message is signed on any chain. Other wallets are asked before any await.
  const returning = returnToSession(provider)
  if (returning) await returning
  const signature = await provider.request({ method: 'personal_sign', params: [`0x${bytes}`, address] })
  if (typeof signature !== 'string') throw new Error('The wallet did not answer with a signature.')
  return signature
}
