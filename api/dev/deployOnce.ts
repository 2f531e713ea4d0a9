import { type Abi, type Address, getContractAddress, type Hex, type PrivateKeyAccount } from 'viem'
import type { DevChainClient } from './connectDevChain.ts'

interface Contract {
  abi: Abi
  bytecode: Hex
  args?: readonly unknown[]
}

/** Deploys a contract as this deployer's first transaction on the chain, unless it was deployed before. Returns its address. */
export async function deployOnce(client: DevChainClient, account: PrivateKeyAccount, contract: Contract): Promise<Address> {
  const address = getContractAddress({ from: account.address, nonce: 0n })
  if (await client.getCode({ address })) return address
  await client.setBalance({ address: account.address, value: 10n ** 18n })
  const hash = await client.deployContract({ ...contract, account, nonce: 0 })
  await client.waitForTransactionReceipt({ hash })
  return address
}
