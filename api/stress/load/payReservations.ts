import { encodeFunctionData, erc20Abi, parseEther, toHex } from 'viem'
import { callChainBatch } from '#api/dev/callChain.ts'
import { DEPOSIT_ADDRESS, type Parts, USDT_ADDRESS } from '../bench/startParts.ts'

const BATCH_SIZE = 100
const CONFIRMATIONS = 64

/** Pays every reservation from its wallet. Returns their number. */
export async function payReservations({ database, chain }: Parts): Promise<number> {
  const { rows } = await database.query<{ wallet: string; amount: string }>(
    `select wallet, amount from purchases where status = 'reserved'`,
  )
  const call = (calls: { method: string; params: unknown[] }[]) => callChainBatch(chain.url, calls)
  await call([{ method: 'anvil_autoImpersonateAccount', params: [true] }])
  for (let first = 0; first < rows.length; first += BATCH_SIZE) {
    const some = rows.slice(first, first + BATCH_SIZE)
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
