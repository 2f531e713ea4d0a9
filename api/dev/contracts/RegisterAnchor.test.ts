import { type Address, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANCHOR_CODE, anchorCodeHash } from '#api/integrity/register/verify.mjs'
import { connectDevChain } from '../connectDevChain.ts'
import { type Chain, startChain } from '../startChain.ts'
import { registerAnchor } from './generated/registerAnchor.ts'

const { abi, bytecode } = registerAnchor
const publisher = privateKeyToAccount(generatePrivateKey())
const stranger = privateKeyToAccount(generatePrivateKey())
const root = (n: number) => toHex(n, { size: 32 })

let chain: Chain
let client: ReturnType<typeof connectDevChain>

beforeAll(async () => {
  chain = await startChain({ chainId: 56, mining: 'instant' })
  client = connectDevChain(chain.url, 56)
  for (const { address } of [publisher, stranger]) await client.setBalance({ address, value: parseEther('1000') })
})
afterAll(() => chain.stop())

async function deploy(): Promise<Address> {
  const hash = await client.deployContract({ account: stranger, abi, bytecode, args: [publisher.address] })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('The contract was not deployed.')
  return contractAddress
}

/** Fails as the contract does: a call is simulated before it is sent. */
async function anchor(address: Address, size: bigint, its: `0x${string}`, account = publisher) {
  const { request } = await client.simulateContract({ account, address, abi, functionName: 'anchor', args: [size, its] })
  return client.waitForTransactionReceipt({ hash: await client.writeContract(request) })
}
const count = (address: Address) => client.readContract({ address, abi, functionName: 'count' })
const since = (address: Address, first: bigint) => client.readContract({ address, abi, functionName: 'since', args: [first] })

test('the publisher of the constructor anchors with the time of the block, and nobody else does', async () => {
  const address = await deploy()
  expect(await client.readContract({ address, abi, functionName: 'publisher' })).toBe(publisher.address)
  await expect(anchor(address, 1n, root(1), stranger)).rejects.toThrow('NotThePublisher')
  const { blockNumber } = await anchor(address, 11n, root(1))
  const { timestamp } = await client.getBlock({ blockNumber })
  expect(await since(address, 0n)).toEqual([{ size: 11n, time: timestamp, root: root(1) }])
})

test('sizes only rise, and the last anchor may be sent again', async () => {
  const address = await deploy()
  await expect(anchor(address, 0n, root(0))).rejects.toThrow('SizeNotAboveTheLast')
  await anchor(address, 5n, root(5))
  const { logs } = await anchor(address, 5n, root(5))
  expect(logs).toEqual([])
  await expect(anchor(address, 5n, root(6))).rejects.toThrow('SizeNotAboveTheLast')
  await expect(anchor(address, 4n, root(4))).rejects.toThrow('SizeNotAboveTheLast')
  await anchor(address, 6n, root(5))
  expect(await count(address)).toBe(2n)
})

test('an anchor emits its index, size and root', async () => {
  const address = await deploy()
  await anchor(address, 3n, root(3))
  await anchor(address, 9n, root(9))
  const events = await client.getContractEvents({ address, abi, eventName: 'Anchored', fromBlock: 0n })
  expect(events.map(({ args }) => args)).toEqual([
    { index: 0n, size: 3n, root: root(3) },
    { index: 1n, size: 9n, root: root(9) },
  ])
})

test('anchors are read in pages of 1,000', async () => {
  const address = await deploy()
  await anchor(address, 1n, root(1))
  // Each anchor takes two slots from keccak256(0) on; slot 0 is their number. Written directly, because 1,002 transactions take long.
  const first = 0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563n
  await Promise.all(
    Array.from({ length: 1_001 }, (_, i) =>
      client.setStorageAt({
        address,
        index: toHex(first + 2n * BigInt(i + 1)),
        value: toHex((7n << 64n) | BigInt(i + 2), { size: 32 }),
      }),
    ),
  )
  await client.setStorageAt({ address, index: toHex(0), value: toHex(1_002, { size: 32 }) })
  const page = await since(address, 0n)
  expect([page.length, page[0]?.size, page.at(-1)?.size]).toEqual([1_000, 1n, 1_000n])
  expect((await since(address, 1_000n)).map(({ size }) => size)).toEqual([1_001n, 1_002n])
  expect(await since(address, 1_002n)).toEqual([])
  expect(await since(address, 2n ** 256n - 1n)).toEqual([])
})

test('its runtime code without the publisher has the hash that verifiers carry', async () => {
  const code = (await client.getCode({ address: await deploy() })) ?? '0x'
  expect(code.toLowerCase()).toContain(publisher.address.slice(2).toLowerCase())
  const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')
  expect(anchorCodeHash(bytes(code), bytes(publisher.address))).toBe(ANCHOR_CODE)
  expect(anchorCodeHash(bytes(registerAnchor.deployedBytecode), bytes(publisher.address))).toBe(ANCHOR_CODE)
})
