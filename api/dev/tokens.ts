import type { Address, PrivateKeyAccount } from 'viem'
import type { DevChainClient } from './connectDevChain.ts'
import { bep20Usdt } from './contracts/generated/bep20Usdt.ts'
import { xcrToken } from './contracts/generated/xcrToken.ts'
import { deployOnce } from './deployOnce.ts'

/** Places a USDT contract at the configured address without a transaction. */
export async function placeUsdt(client: DevChainClient, usdtAddress: Address): Promise<void> {
  await client.setCode({ address: usdtAddress, bytecode: bep20Usdt.deployedBytecode })
}

/** Deploys the reward token unless this deployer has already deployed it. Returns its address. */
export const deployXcr = (client: DevChainClient, deployer: PrivateKeyAccount): Promise<Address> =>
  deployOnce(client, deployer, xcrToken)
