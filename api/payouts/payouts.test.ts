import { expect, test } from 'vitest'
import { mailsTo } from '../testing/mails.ts'
import { startPayouts } from '../testing/payouts.ts'

test('a withdrawal is signed, sent, mined and completed with its fee, once', async () => {
  const payouts = await startPayouts()
  const { id, toAddress, user } = await payouts.open({ amount: '3000', fee: '5' })

  await payouts.tick()
  await payouts.tick()
  const [sent] = await payouts.payouts()
  expect(sent).toMatchObject({ nonce: 0, cause: `withdrawal:${id}`, state: 'sent', amount: '2995' })
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing', transactionHash: sent!.attempts[0]!.hash })

  await payouts.chain.mine(2)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  expect(await payouts.held(toAddress)).toBe('2995')

  await payouts.chain.mine(1)
  await payouts.tick()
  await payouts.tick()

  const hash = sent!.attempts[0]!.hash
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed', transactionHash: hash, transferOrdinal: 0 })
  expect(await payouts.payouts()).toMatchObject([{ state: 'paid', final_hash: hash }])
  expect(await payouts.transfers()).toEqual([{ to: toAddress, amount: '2995', hash }])
  expect(await payouts.fees()).toBe('5')
  expect(await payouts.balance(user.id)).toBe('0')
  const mails = await mailsTo(payouts.database, `${user.id}@example.com`)
  expect(mails).toHaveLength(1)
  for (const part of ['3000 XCR', '5 XCR', '2995 XCR', toAddress, hash, `/tx/${hash}`]) expect(mails[0]!.text).toContain(part)
  expect(payouts.alerts).toEqual([])
})
