import { type Address, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { DevChainClient } from '../connectDevChain.ts'
import { bep20Usdt } from '../contracts/generated/bep20Usdt.ts'

const USDT = parseEther('1000')
const BNB = parseEther('1')
const XP = parseEther('10')

interface DemoChains {
  payment: DevChainClient
  reward: DevChainClient
  usdtAddress: Address
}

/** Gives an address USDT, and coins for gas fees on both chains. Resolves when the transactions are mined. */
export async function fundWallet({ payment, reward, usdtAddress }: DemoChains, address: Address): Promise<void> {
  await Promise.all([fillUp(payment, address, BNB), fillUp(reward, address, XP), mintUsdt(payment, { usdtAddress, to: address })])
}

async function mintUsdt(client: DevChainClient, { usdtAddress, to }: { usdtAddress: Address; to: Address }): Promise<void> {
  // Each call uses a new account, so that concurrent calls do not use the same nonce.
  const minter = privateKeyToAccount(generatePrivateKey())
  await client.setBalance({ address: minter.address, value: BNB })
  const hash = await client.writeContract({
    account: minter,
    address: usdtAddress,
    abi: bep20Usdt.abi,
    functionName: 'mint',
    args: [to, USDT],
  })
  await client.waitForTransactionReceipt({ hash })
}

async function fillUp(client: DevChainClient, address: Address, value: bigint): Promise<void> {
  if ((await client.getBalance({ address })) < value) await client.setBalance({ address, value })
}
