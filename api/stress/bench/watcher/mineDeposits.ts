import { encodeFunctionData, type Hex, keccak256, encodeAbiParameters, parseEther } from 'viem'
import { callChain } from '#api/dev/callChain.ts'
import { batchSender } from '#api/dev/contracts/generated/batchSender.ts'
import { DEPOSIT_ADDRESS, USDT_ADDRESS } from '../startParts.ts'

const SENDER = '0x00000000000000000000000000000000000000a1'
const BATCH_SENDER = '0x00000000000000000000000000000000000000b5'
const BALANCE: Hex = `0x${(10n ** 30n).toString(16).padStart(64, '0')}`

interface Deposits {
  blocks: number
  transfersPerBlock: number
  /** In the smallest unit; slightly more than a node's price by default. */
  amount?: (index: number) => bigint
  /** Mines all transactions in one block. */
  asOneBlock?: boolean
}

/** Mines blocks with one transaction each that has many transfers to the deposit address. */
export async function mineDeposits(
  url: string,
  { blocks, transfersPerBlock, amount = (index) => parseEther('3') + BigInt(index), asOneBlock = false }: Deposits,
) {
  const call = <Result>(method: string, ...params: unknown[]) => callChain<Result>(url, method, params)
  await call('anvil_setCode', BATCH_SENDER, batchSender.deployedBytecode)
  // `balanceOf` is the first variable of DevToken.sol.
  const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [BATCH_SENDER, 0n]))
  await call('anvil_setStorageAt', USDT_ADDRESS, slot, BALANCE)
  await call('anvil_setBalance', SENDER, BALANCE)
  await call('anvil_impersonateAccount', SENDER)

  const transaction = {
    from: SENDER,
    to: BATCH_SENDER,
    gas: `0x${(16_000_000).toString(16)}`,
    data: encodeFunctionData({
      abi: batchSender.abi,
      functionName: 'send',
      args: [USDT_ADDRESS, DEPOSIT_ADDRESS, Array.from({ length: transfersPerBlock }, (_, index) => amount(index))],
    }),
  }
  if (asOneBlock) {
    await call('evm_setAutomine', false)
    await call('evm_setBlockGasLimit', `0x${(16_000_000 * blocks).toString(16)}`)
  }
  for (let block = 0; block < blocks; block += 1) await call('eth_sendTransaction', transaction)
  if (asOneBlock) {
    await call('evm_mine')
    await call('evm_setAutomine', true)
  }
}
