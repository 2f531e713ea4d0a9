import type { Address, PrivateKeyAccount } from 'viem'
import { describe, expect, test } from 'vitest'
import { ONE_TOKEN } from '#shared/amount.ts'
import type { ApiError } from '#shared/contract/client.ts'
import * as contract from '#shared/contract/wallet.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { walletProofMessage, type WalletProof } from '#shared/walletProofMessage.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { ChangeEvent } from '#api/entities/ChangeEvent.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { WalletRegistration } from '#api/entities/WalletRegistration.ts'
import { makeAccount, usePaymentChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Buyer, makeBuyer } from '#api/testing/people.ts'
import { type ServerOptions, startServer, type TestServer } from '#api/testing/server.ts'
import { findProvenOwner } from './findWalletOwner.ts'
import { readProvers } from './readProvers.ts'

const database = useDatabase()
const chain = usePaymentChain()

const start = (options: ServerOptions = {}) =>
  startServer(database, { ...options, env: { BSC_RPC_URLS: chain.url, ...options.env } })
const newcomer = (server: TestServer) => makeBuyer(server, { wallet: null })

const set = (person: Buyer, walletAddress: Address | null, proof: { message?: string; signature?: string } = {}) =>
  person.browser.call(contract.updateWallet, { body: { walletAddress, ...proof } })

const lower = (account: { address: Address }) => account.address.toLowerCase() as Address

async function sign(server: TestServer, person: Buyer, wallet: PrivateKeyAccount, change: Partial<WalletProof> = {}) {
  const message = walletProofMessage({
    host: new URL(server.url).host,
    email: person.user.email,
    address: lower(wallet),
    timestamp: server.clock.now().toISOString(),
    ...change,
  })
  return { message, signature: await wallet.signMessage({ message }) }
}

const prove = async (server: TestServer, person: Buyer, wallet: PrivateKeyAccount) =>
  set(person, wallet.address, await sign(server, person, wallet))

const walletOf = async (person: Buyer) => (await person.browser.call(getAuthUser, {})).walletAddress

const history = (address: Address) =>
  database.orm.em.fork().find(WalletRegistration, { address: address.toLowerCase() as Address }, { orderBy: { id: 'asc' } })

const auditOf = (person: Buyer) =>
  database.orm.em.fork().find(AuditEntry, { actor: `user:${person.user.email}` }, { orderBy: { id: 'asc' } })

async function makePurchase(
  server: TestServer,
  person: Buyer,
  { wallet, status, closedAt }: { wallet: Address; status: Purchase['status']; closedAt?: Date },
) {
  const em = database.orm.em.fork()
  const now = server.clock.now()
  em.create(Purchase, {
    user: person.user.id,
    status,
    requestedQuantity: 1,
    unitPrice: 3n * ONE_TOKEN,
    amount: 3n * ONE_TOKEN,
    wallet: wallet.toLowerCase() as Address,
    depositAddress: server.services.config.DEPOSIT_ADDRESS,
    createdAt: now,
    openedAt: now,
    closedAt: closedAt ?? null,
  })
  await em.flush()
}

describe('registering', () => {
  test('stores the address in lower case, with its history, an audit row, an email and a notification of open pages', async () => {
    const server = await start()
    const person = await newcomer(server)
    const wallet = makeAccount()

    const answer = await prove(server, person, wallet)

    expect(answer).toMatchObject({ id: person.user.id, walletAddress: lower(wallet), walletProven: true })
    expect(await history(wallet.address)).toMatchObject([
      { registeredAt: server.clock.now(), provenAt: server.clock.now(), removedAt: null },
    ])
    expect(await auditOf(person)).toMatchObject([
      {
        action: 'wallet.register',
        before: { address: null },
        after: { address: lower(wallet), proven: true },
        ipAddress: '127.0.0.1',
      },
    ])
    expect((await mailsTo(database, person.user.email)).map(({ subject }) => subject)).toEqual([
      'A wallet address was registered for your account',
    ])
    expect(
      await database.orm.em.fork().count(ChangeEvent, { user: person.user.id, keys: { $contains: ['/api/auth/user'] } }),
    ).toBe(1)
  })

  test('an address without a proof is registered as unproven', async () => {
    const server = await start()
    const person = await newcomer(server)
    const wallet = makeAccount()

    expect(await set(person, wallet.address)).toMatchObject({ walletAddress: lower(wallet), walletProven: false })
    expect(await person.browser.call(getAuthUser, {})).toMatchObject({ walletProven: false })
  })

  test('the same address again changes nothing, except that a proof makes it proven', async () => {
    const server = await start()
    const person = await newcomer(server)
    const wallet = makeAccount()
    await set(person, wallet.address)
    const registered = server.clock.now()
    server.clock.advance(MINUTE)

    await set(person, lower(wallet))
    expect(await prove(server, person, wallet)).toMatchObject({ walletProven: true })
    expect(await person.browser.call(getAuthUser, {})).toMatchObject({ walletProven: true })
    const proven = server.clock.now()
    server.clock.advance(MINUTE)
    await prove(server, person, wallet)
    expect(await set(person, wallet.address)).toMatchObject({ walletProven: true })

    expect(await history(wallet.address)).toMatchObject([{ registeredAt: registered, provenAt: proven, removedAt: null }])
    expect((await auditOf(person)).map(({ action }) => action)).toEqual(['wallet.register', 'wallet.prove'])
    expect(await mailsTo(database, person.user.email)).toHaveLength(1)
  })

  test('another address or null ends the first one, and the history records owners and times', async () => {
    const server = await start()
    const person = await newcomer(server)
    const [first, second] = [makeAccount(), makeAccount()]
    const ownerAt = (wallet: PrivateKeyAccount, at: Date) =>
      findProvenOwner(database.orm.em.fork(), { address: wallet.address, at })
    const before = new Date(server.clock.now().getTime() - SECOND)

    await prove(server, person, first)
    const registered = server.clock.now()
    server.clock.advance(MINUTE)
    await prove(server, person, second)
    const replaced = server.clock.now()
    server.clock.advance(MINUTE)
    expect(await set(person, null)).toMatchObject({ walletAddress: null, walletProven: false })
    const removed = server.clock.now()

    expect(await ownerAt(first, before)).toBeUndefined()
    // A block of the same second; block times have no fractions.
    expect(await ownerAt(first, new Date(Math.floor(registered.getTime() / SECOND) * SECOND))).toBe(person.user.id)
    expect(await ownerAt(first, new Date(replaced.getTime() - SECOND))).toBe(person.user.id)
    expect(await ownerAt(first, replaced)).toBeUndefined()
    expect(await ownerAt(second, replaced)).toBe(person.user.id)
    expect(await ownerAt(second, removed)).toBeUndefined()
    expect((await auditOf(person)).map(({ action }) => action)).toEqual(['wallet.register', 'wallet.replace', 'wallet.remove'])
    expect(await mailsTo(database, person.user.email)).toHaveLength(3)
  })

  test('an unproven address has no proven owner until it is proven', async () => {
    const server = await start()
    const person = await newcomer(server)
    const wallet = makeAccount()
    await set(person, wallet.address)
    const unproven = server.clock.now()
    server.clock.advance(MINUTE)
    await prove(server, person, wallet)

    const em = database.orm.em.fork()
    expect(await findProvenOwner(em, { address: wallet.address, at: unproven })).toBeUndefined()
    expect(await findProvenOwner(em, { address: wallet.address, at: server.clock.now() })).toBe(person.user.id)
  })

  test('an invalid address returns the specified message', async () => {
    const server = await start()
    const person = await newcomer(server)

    const answer = await person.browser.fetch(server.url + contract.updateWallet.path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ walletAddress: '0x123' }),
    })

    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ message: 'Please enter a valid Ethereum wallet address.' })
  })
})

describe('a proof', () => {
  const refused = { status: 400, code: 'wallet_proof_invalid' }

  test.each<[string, Partial<WalletProof>]>([
    ['of another site', { host: 'elsewhere.example' }],
    ['for another account', { email: 'somebody@else.example' }],
    ['of another wallet', { address: '0x00000000000000000000000000000000000000aa' }],
    ['with an invalid time', { timestamp: 'yesterday' }],
  ])('%s is refused', async (_name, change) => {
    const server = await start()
    const person = await newcomer(server)
    const wallet = makeAccount()

    await expect(set(person, wallet.address, await sign(server, person, wallet, change))).rejects.toMatchObject(refused)
    expect(await walletOf(person)).toBeNull()
  })

  test('is valid for ten minutes, and for a clock one minute ahead', async () => {
    const server = await start()
    const person = await newcomer(server)
    const wallet = makeAccount()
    const at = (offset: number) => ({ timestamp: new Date(server.clock.now().getTime() + offset).toISOString() })
    const send = async (offset: number) => set(person, wallet.address, await sign(server, person, wallet, at(offset)))

    for (const offset of [-10 * MINUTE - 1, MINUTE + 1]) await expect(send(offset)).rejects.toMatchObject(refused)
    for (const offset of [-10 * MINUTE, MINUTE]) await send(offset)
  })

  test('of another wallet, or with one changed letter, is refused and registers nothing', async () => {
    const server = await start()
    const person = await newcomer(server)
    const [wallet, other] = [makeAccount(), makeAccount()]
    const { message, signature } = await sign(server, person, wallet)

    const byAnother = { message, signature: await other.signMessage({ message }) }
    await expect(set(person, wallet.address, byAnother)).rejects.toMatchObject(refused)
    await expect(set(person, wallet.address, { message: `${message} `, signature })).rejects.toMatchObject(refused)
    await expect(set(person, wallet.address, { message })).rejects.toMatchObject(refused)
    await expect(set(person, wallet.address, { signature })).rejects.toMatchObject(refused)
    await expect(set(person, wallet.address, { message, signature: '0x12' })).rejects.toMatchObject(refused)
    expect(await walletOf(person)).toBeNull()
  })

  test('requires the configured site if there is one, whatever the request says', async () => {
    const server = await start({ config: { PUBLIC_URL: 'https://nodes.example' } })
    const person = await newcomer(server)
    const wallet = makeAccount()

    await expect(prove(server, person, wallet)).rejects.toMatchObject(refused)
    await set(person, wallet.address, await sign(server, person, wallet, { host: 'nodes.example' }))
  })

  test('of a contract wallet is verified by the contract', async () => {
    const server = await start()
    const person = await newcomer(server)
    const [yes, no, key] = [makeAccount(), makeAccount(), makeAccount()]
    // Contracts that answer every call with EIP-1271's magic value, and with zero.
    await chain.client.setCode({ address: yes.address, bytecode: '0x631626ba7e60e01b60005260206000f3' })
    await chain.client.setCode({ address: no.address, bytecode: '0x600060005260206000f3' })
    const by = async (wallet: PrivateKeyAccount) => {
      const { message } = await sign(server, person, wallet)
      return { message, signature: await key.signMessage({ message }) }
    }

    await expect(set(person, no.address, await by(no))).rejects.toMatchObject(refused)
    expect(await set(person, yes.address, await by(yes))).toMatchObject({ walletProven: true })
  })

  test('that needs an unavailable chain is not invalid: the user should try again', async () => {
    const server = await start({ env: { BSC_RPC_URLS: 'http://127.0.0.1:9' } })
    const person = await newcomer(server)
    const wallet = makeAccount()
    const { message } = await sign(server, person, wallet)

    const answer = set(person, wallet.address, { message, signature: await makeAccount().signMessage({ message }) })

    await expect(answer).rejects.toMatchObject({ status: 503, code: 'chain_unavailable' })
    await expect(answer.catch((error: ApiError) => error.serverMessage)).resolves.toContain('try again')
    // The signature of an ordinary account needs no chain.
    await prove(server, person, wallet)
  })
})

describe('one address for one account', () => {
  const taken = { status: 409, code: 'wallet_taken' }

  test('a proven address is refused to all other accounts, in any letter case, with or without a proof', async () => {
    const server = await start()
    const [owner, other] = [await makeBuyer(server), await newcomer(server)]

    await expect(set(other, owner.wallet.address)).rejects.toMatchObject(taken)
    await expect(set(other, `0x${owner.wallet.address.slice(2).toUpperCase()}`)).rejects.toMatchObject(taken)
    await expect(prove(server, other, owner.wallet)).rejects.toMatchObject({
      ...taken,
      serverMessage: 'This wallet address is already registered to another account.',
    })
    expect(await walletOf(owner)).toBe(lower(owner.wallet))
  })

  test('an unproven address is refused to accounts without a proof, and goes to the account that proves it', async () => {
    const server = await start()
    const [squatter, owner] = [await newcomer(server), await newcomer(server)]
    const wallet = makeAccount()
    await set(squatter, wallet.address)
    server.clock.advance(MINUTE)

    await expect(set(owner, wallet.address)).rejects.toMatchObject(taken)
    await prove(server, owner, wallet)

    expect(await walletOf(squatter)).toBeNull()
    expect(await walletOf(owner)).toBe(lower(wallet))
    const now = server.clock.now()
    expect(await history(wallet.address)).toMatchObject([
      { user: { id: squatter.user.id }, provenAt: null, removedAt: now },
      { user: { id: owner.user.id }, provenAt: now, removedAt: null },
    ])
    expect((await mailsTo(database, squatter.user.email))[0]!.subject).toBe('A wallet address was removed from your account')
    expect(await database.orm.em.fork().count(AuditEntry, { action: 'wallet.yield', target: squatter.user.email })).toBe(1)
    await expect(set(squatter, wallet.address)).rejects.toMatchObject(taken)
  })

  test('of many accounts that register one address concurrently, one gets it', async () => {
    const server = await start()
    const wallet = makeAccount()
    const people = await Promise.all(Array.from({ length: 6 }, () => newcomer(server)))

    const answers = await Promise.allSettled(people.map((person) => set(person, wallet.address)))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toMatchObject(taken)
  })

  test('two accounts that prove each other’s address concurrently both get their own', async () => {
    const server = await start()
    const [one, two] = [await newcomer(server), await newcomer(server)]
    const [walletOfOne, walletOfTwo] = [makeAccount(), makeAccount()]
    await set(one, walletOfTwo.address)
    await set(two, walletOfOne.address)

    await Promise.all([prove(server, one, walletOfOne), prove(server, two, walletOfTwo)])

    expect(await walletOf(one)).toBe(lower(walletOfOne))
    expect(await walletOf(two)).toBe(lower(walletOfTwo))
  })

  test.each(['reserved', 'pending', 'manual_review'] as const)(
    'an address stays bound to its account while a %s purchase with it is open, even if disconnected',
    async (status) => {
      const server = await start()
      const [owner, other] = [await makeBuyer(server), await newcomer(server)]
      await makePurchase(server, owner, { wallet: owner.wallet.address, status })
      await set(owner, null)

      await expect(set(other, owner.wallet.address)).rejects.toMatchObject(taken)
      await expect(prove(server, other, owner.wallet)).rejects.toMatchObject(taken)
      await set(owner, owner.wallet.address)
    },
  )

  test('an address that left an account at a server whose clock is ahead belongs to the account that proves it then', async () => {
    const server = await start()
    const [before, owner] = [await newcomer(server), await newcomer(server)]
    const wallet = makeAccount()
    server.clock.advanceMachine(2 * HOUR)
    await prove(server, before, wallet)
    server.clock.advanceMachine(HOUR)
    await set(before, null)
    server.clock.advanceMachine(-3 * HOUR)
    server.clock.advance(MINUTE)
    await prove(server, owner, wallet)

    const em = database.orm.em.fork()
    expect(await readProvers(em, lower(wallet))).toEqual([owner.user.id, before.user.id])
    for (const hours of [1, 2.5, 4]) {
      const at = new Date(server.clock.now().getTime() + hours * HOUR)
      expect(await findProvenOwner(em, { address: wallet.address, at })).toBe(owner.user.id)
    }
  })

  test('an address stays bound for 24 hours after the purchase has closed', async () => {
    const server = await start()
    const [owner, other] = [await makeBuyer(server), await newcomer(server)]
    await makePurchase(server, owner, { wallet: owner.wallet.address, status: 'cancelled', closedAt: server.clock.now() })
    await set(owner, null)

    server.clock.advance(DAY - SECOND)
    await expect(prove(server, other, owner.wallet)).rejects.toMatchObject(taken)
    server.clock.advance(SECOND)
    await prove(server, other, owner.wallet)
  })

  test('an address stays bound for those hours at a server whose clock is ahead of the database, too', async () => {
    const server = await start()
    const [owner, other] = [await makeBuyer(server), await newcomer(server)]
    await makePurchase(server, owner, { wallet: owner.wallet.address, status: 'cancelled', closedAt: server.clock.now() })
    await set(owner, null)

    server.clock.advanceMachine(2 * DAY)
    await expect(set(other, owner.wallet.address)).rejects.toMatchObject(taken)
  })

  test('a purchase of an account that never proved the address does not keep it from the account that proves it', async () => {
    const server = await start()
    const [squatter, other, owner] = [await newcomer(server), await newcomer(server), await newcomer(server)]
    const wallet = makeAccount()
    await set(squatter, wallet.address)
    await makePurchase(server, squatter, { wallet: wallet.address, status: 'reserved' })

    await expect(set(other, wallet.address)).rejects.toMatchObject(taken)
    await prove(server, owner, wallet)

    expect(await walletOf(owner)).toBe(lower(wallet))
    expect(await walletOf(squatter)).toBeNull()
  })
})

test('a visitor is not logged in', async () => {
  const server = await start()

  const answer = server.openBrowser().call(contract.updateWallet, { body: { walletAddress: null } })

  await expect(answer).rejects.toMatchObject({ status: 401, serverMessage: 'Unauthorized' })
})
