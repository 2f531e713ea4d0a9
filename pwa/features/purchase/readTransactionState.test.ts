import { expect, test } from 'vitest'
import { makeWallet, someHash } from '#pwa/testing/fakeWallet.ts'
import { readTransactionState } from './readTransactionState.ts'

const from = '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c'
const place = { from, nonce: 7n }

/** A wallet whose chain returns this transaction and receipt, and this nonce for the sender. */
const chainWith = ({
  receipt = null,
  transaction = null,
  mined = 7,
}: {
  receipt?: object | null
  transaction?: object | null
  mined?: number
}) =>
  makeWallet({
    eth_getTransactionReceipt: () => receipt,
    eth_getTransactionByHash: () => transaction,
    eth_getTransactionCount: () => `0x${mined.toString(16)}`,
  })

test('a pending transaction is remembered by its nonce', async () => {
  const wallet = chainWith({ transaction: { from, nonce: '0x7' } })
  expect(await readTransactionState(wallet, { hash: someHash, place: undefined })).toEqual({ transactionState: 'waiting', place })
})

test('a mined transaction has succeeded or failed', async () => {
  const ask = (status: string) => readTransactionState(chainWith({ receipt: { status } }), { hash: someHash, place })
  expect(await ask('0x1')).toEqual({ transactionState: 'mined', place })
  expect(await ask('0x0')).toEqual({ transactionState: 'failed', place })
})

test('a missing transaction with a used nonce was replaced', async () => {
  expect(await readTransactionState(chainWith({ mined: 8 }), { hash: someHash, place })).toEqual({
    transactionState: 'replaced',
    place,
  })
})

test('a missing transaction with an unused nonce is only late', async () => {
  expect(await readTransactionState(chainWith({}), { hash: someHash, place })).toEqual({ transactionState: 'waiting', place })
  expect(await readTransactionState(chainWith({ mined: 8 }), { hash: someHash, place: undefined })).toEqual({
    transactionState: 'waiting',
    place: undefined,
  })
})
