import { type Address, getContractAddress, type PrivateKeyAccount } from 'viem'
import type { DevChainClient } from './connectDevChain.ts'
import { bep20Usdt } from './contracts/generated/bep20Usdt.ts'
import { xcrToken } from './contracts/generated/xcrToken.ts'

/** Places a USDT contract at the configured address without a transaction. */
export async function placeUsdt(client: DevChainClient, usdtAddress: Address): Promise<void> {
  await client.setCode({ address: usdtAddress, bytecode: bep20Usdt.deployedBytecode })
}

/** Deploys the reward token unless this deployer has already deployed it. Returns its address. */
export async function deployXcr(client: DevChainClient, deployer: PrivateKeyAccount): Promise<Address> {
  const address = getContractAddress({ from: deployer.address, nonce: 0n })
  if (await client.getCode({ address })) return address
  await client.setBalance({ address: deployer.address, value: 10n ** 18n })
  const hash = await client.deployContract({ account: deployer, abi: xcrToken.abi, bytecode: xcrToken.bytecode, nonce: 0 })
  await client.waitForTransactionReceipt({ hash })
  return address
}
