import type { Address, Hash, PrivateKeyAccount } from 'viem'
import { batchSender } from '#api/dev/contracts/generated/batchSender.ts'
import type { PaymentChain } from './chains.ts'

export interface BatchSender {
  /** The sender of its transfers. */
  address: Address
  /** Sends one transfer per amount in a single transaction. Does not wait until it is mined. */
  send(amounts: readonly bigint[]): Promise<Hash>
}

/** Deploys a contract that sends many transfers of USDT to `recipient` in one transaction, and funds it with `usdt`. */
export async function deployBatchSender(
  chain: PaymentChain,
  { owner, recipient, usdt }: { owner: PrivateKeyAccount; recipient: Address; usdt: bigint },
): Promise<BatchSender> {
  const { client } = chain
  await client.setBalance({ address: owner.address, value: 10n ** 19n })
  const deployed = await client.deployContract({ account: owner, ...batchSender })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployed })
  if (!contractAddress) throw new Error('The batch sender was not deployed.')
  await chain.mintUsdt(contractAddress, usdt)
  return {
    address: contractAddress,
    send: (amounts) =>
      client.writeContract({
        account: owner,
        address: contractAddress,
        abi: batchSender.abi,
        functionName: 'send',
        args: [chain.token, recipient, [...amounts]],
      }),
  }
}
