import { encodeFunctionData, erc20Abi, parseEther, toHex } from 'viem'
import { callChainBatch } from '#api/dev/callChain.ts'
import { DEPOSIT_ADDRESS, type Parts, USDT_ADDRESS } from '../bench/startParts.ts'

const AT_ONCE = 100
const CONFIRMATIONS = 64

/** Everybody who holds a reservation pays for it, from the wallet that it names. Answers how many they were. */
export async function payReservations({ database, chain }: Parts): Promise<number> {
  const { rows } = await database.query<{ wallet: string; amount: string }>(
    `select wallet, amount from purchases where status = 'reserved'`,
  )
  const call = (calls: { method: string; params: unknown[] }[]) => callChainBatch(chain.url, calls)
  await call([{ method: 'anvil_autoImpersonateAccount', params: [true] }])
  for (let first = 0; first < rows.length; first += AT_ONCE) {
    const some = rows.slice(first, first + AT_ONCE)
    await call(some.map(({ wallet }) => ({ method: 'anvil_setBalance', params: [wallet, toHex(parseEther('1'))] })))
    await call(
      some.map(({ wallet, amount }) => ({
        method: 'eth_sendTransaction',
        params: [
          {
            from: wallet,
            to: USDT_ADDRESS,
            data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [DEPOSIT_ADDRESS, BigInt(amount)] }),
          },
        ],
      })),
    )
  }
  await call([{ method: 'anvil_mine', params: [toHex(CONFIRMATIONS)] }])
  return rows.length
}
