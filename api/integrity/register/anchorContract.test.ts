import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { AnchorContract } from './anchorContract.ts'

const word = (value: bigint): string => value.toString(16).padStart(64, '0')

test('an endpoint that counts more anchors than can be is not asked for all of them', async () => {
  let calls = 0
  const endpoint = {
    async request<Answer>(): Promise<Answer> {
      calls += 1
      if (calls > 500) throw new Error('Asked without end.')
      const page: Hex = `0x${word(32n)}${word(1_000n)}${word(1n).repeat(3_000)}`
      return (calls === 1 ? `0x${word(2n ** 53n)}` : page) as Answer
    },
  }
  const contract = new AnchorContract(endpoint, { address: `0x${'a'.repeat(40)}`, block: 'latest' })

  await expect(contract.since(0)).rejects.toThrow('counts more anchors')
})
