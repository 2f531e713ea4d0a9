import { argon2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './hashPassword.ts'

test('a hash matches only its password, and two hashes of one password differ', async () => {
  const [first, second] = await Promise.all([hashPassword('Passw0rd!'), hashPassword('Passw0rd!')])

  expect(first).not.toBe(second)
  expect(await verifyPassword('Passw0rd!', first)).toBe(true)
  expect(await verifyPassword('passw0rd!', first)).toBe(false)
})

test('a hash with other parameters is accepted', async () => {
  const salt = Buffer.from('0123456789abcdef')
  const parameters = { nonce: salt, memory: 65_536, passes: 3, parallelism: 4, tagLength: 24 }
  const hash = argon2Sync('argon2id', { ...parameters, message: 'Passw0rd!' })
  const phc = `$argon2id$v=19$m=65536,t=3,p=4$${salt.toString('base64').replace(/=+$/, '')}$${hash.toString('base64').replace(/=+$/, '')}`

  expect(await verifyPassword('Passw0rd!', phc)).toBe(true)
})

test('one letter in two Unicode forms is one password', async () => {
  expect(await verifyPassword('A\u030Angstr0m!', await hashPassword('\u00C5ngstr0m!'))).toBe(true)
})

test('without a hash no password matches, not even the one of the dummy hash', async () => {
  expect(await verifyPassword('', undefined)).toBe(false)
})

test('two hashes run and 32 are queued; further ones are refused until there is room', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 40 }, () => hashPassword('Passw0rd!')))

  const refused = answers.filter((answer) => answer.status === 'rejected')
  expect(refused).toHaveLength(6)
  expect(refused[0]!.reason).toMatchObject({ status: 503, code: 'busy', retryAfter: 2 })
  await hashPassword('Passw0rd!')
})

test('a known browser has a place in the queue when unknown ones have filled theirs', async () => {
  const known = await hashPassword('Passw0rd!')
  const strangers = Promise.allSettled(Array.from({ length: 40 }, () => verifyPassword('a guess', undefined)))

  await expect(verifyPassword('Passw0rd!', known)).rejects.toMatchObject({ code: 'busy' })
  expect(await verifyPassword('Passw0rd!', known, { isKnownDevice: true })).toBe(true)
  await strangers
})
