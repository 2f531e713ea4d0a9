import type { PrivateKeyAccount } from 'viem'
import type { DevChainClient } from '#api/dev/connectDevChain.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { makeAccount } from '#api/testing/chains.ts'

/** Sends each payment after the previous one is mined. Returns the number per second. */
export async function payOneByOne(
  client: DevChainClient,
  { account, token, count }: { account: PrivateKeyAccount; token: `0x${string}`; count: number },
): Promise<number> {
  const started = performance.now()
  for (let sent = 0; sent < count; sent += 1) {
    const hash = await client.writeContract({
      account,
      address: token,
      abi: bep20Usdt.abi,
      functionName: 'transfer',
      args: [makeAccount().address, 1n],
    })
    await client.waitForTransactionReceipt({ hash })
  }
  return count / ((performance.now() - started) / 1_000)
}
