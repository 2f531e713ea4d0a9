import type { Address } from 'viem'
import { contractWallet } from '#api/dev/contracts/generated/contractWallet.ts'
import { makeAccount, type TestChain } from './chains.ts'

/** Places a contract wallet at an address of a chain; `owner` signs for it. */
export async function placeContractWallet(
  { client }: Pick<TestChain, 'client'>,
  { at, owner }: { at: Address; owner: Address },
): Promise<void> {
  const deployer = makeAccount()
  await client.setBalance({ address: deployer.address, value: 10n ** 18n })
  const { abi, bytecode } = contractWallet
  const hash = await client.deployContract({ account: deployer, abi, bytecode, args: [owner] })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  const code = await client.getCode({ address: contractAddress! })
  await client.setCode({ address: at, bytecode: code! })
}
