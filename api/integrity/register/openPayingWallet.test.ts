import { expect, test } from 'vitest'
import { verifyMessage } from 'viem'
import { openPayingWallet } from './openPayingWallet.ts'
import { personalHash, recoverAddress, sha256, walletMessage } from './verify.mjs'

test('the payout wallet signs the text of the format, which a verifier of its own recovers', async () => {
  const genesisHash = sha256(Buffer.from('genesis'))
  const origin = 'nodes.example.com/register'
  const { wallet, signProof } = await openPayingWallet({ PAYOUT_PRIVATE_KEY: '33'.repeat(32) })
  const signature = await signProof({ origin, genesisHash })
  const message = walletMessage({ origin, genesis: genesisHash.toString('base64'), chain: '20250217', wallet })
  expect(recoverAddress(personalHash(message), Buffer.from(signature.slice(2), 'hex'))).toBe(wallet)
  expect(await verifyMessage({ address: wallet, message, signature })).toBe(true)
})
