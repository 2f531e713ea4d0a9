import { expect, test } from 'vitest'
import { makeAccount, USDT_ADDRESS, usePaymentChain } from '#api/testing/chains.ts'
import { readBalances } from './readBalances.ts'

const chain = usePaymentChain()
const ask = (method: string, params: readonly unknown[]) =>
  chain.client.request({ method, params } as unknown as Parameters<typeof chain.client.request>[0])

test('returns a balance for each owner in order, including zero balances', async () => {
  const [poor, rich, richest] = [makeAccount().address, makeAccount().address, makeAccount().address]
  await chain.mintUsdt(rich, 5n)
  await chain.mintUsdt(richest, 2n ** 255n)

  expect(await readBalances(ask, USDT_ADDRESS, [rich, poor, richest])).toEqual([5n, 0n, 2n ** 255n])
})

test('reads two hundred balances in one call', async () => {
  const owners = Array.from({ length: 200 }, () => makeAccount().address)
  await chain.mintUsdt(owners[199]!, 7n)

  expect(await readBalances(ask, USDT_ADDRESS, owners)).toEqual([...owners.slice(1).map(() => 0n), 7n])
})

test('fails if the token does not exist', async () => {
  await expect(readBalances(ask, makeAccount().address, [makeAccount().address])).rejects.toThrow('revert')
})
