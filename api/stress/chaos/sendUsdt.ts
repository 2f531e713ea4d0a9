import { encodeFunctionData, keccak256, type PrivateKeyAccount } from 'viem'
import { callChain } from '#api/dev/callChain.ts'
import { PAYMENT_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { DEPOSIT_ADDRESS } from '../bench/startParts.ts'
import type { SentTransfer } from './History.ts'
import type { LocalChain } from './startWorld.ts'

interface UsdtPayment {
  from: PrivateKeyAccount
  amount: bigint
  nonce: number
  /** In thousandths of the usual fee. */
  fee?: bigint
}

/** Signs a transfer to the deposit address without sending it. */
export async function signUsdt(chain: LocalChain, { from, amount, nonce, fee = 1_000n }: UsdtPayment): Promise<SentTransfer> {
  const signed = await from.signTransaction({
    chainId: PAYMENT_CHAIN_ID,
    nonce,
    to: chain.token,
    data: encodeFunctionData({ abi: bep20Usdt.abi, functionName: 'transfer', args: [DEPOSIT_ADDRESS, amount] }),
    gas: 150_000n,
    maxFeePerGas: 20_000_000n * fee,
    maxPriorityFeePerGas: 1_000_000n * fee,
    type: 'eip1559',
  })
  return { hash: keccak256(signed), signed, amount, isDropped: false }
}

/** Sends a transaction. Ignores one that is already on the chain. */
export async function sendSigned(chain: LocalChain, { signed }: Pick<SentTransfer, 'signed'>): Promise<void> {
  await callChain(chain.url, 'eth_sendRawTransaction', [signed]).catch((error: Error) => {
    if (!/already (known|imported)|nonce too low/i.test(error.message)) throw error
  })
}
