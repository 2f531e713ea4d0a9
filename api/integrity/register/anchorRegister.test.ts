import { beforeEach, expect, test } from 'vitest'
import { type Address, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { HOUR, MINUTE } from '#shared/dates.ts'
import { parseEntry } from '#shared/register/entries.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import { registerAnchor } from '#api/dev/contracts/generated/registerAnchor.ts'
import { deployOnce } from '#api/dev/deployOnce.ts'
import { isUnavailable } from '#api/platform/db/isUnavailable.ts'
import { sql } from '#api/platform/db/sql.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { makeAccount, usePaymentChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { exampleHashes, exampleSizes, forgetLog, publishExample } from '#api/testing/publishExample.ts'
import { startDatabaseProxy } from '#api/testing/startDatabaseProxy.ts'
import { startServer, type TestServer } from '#api/testing/server.ts'
import { REGISTER_ON } from '#api/testing/testConfig.ts'
import { anchorNewest, type AnchorStep, anchorSteps } from './anchorRegister.ts'
import { RegisterStopped, requireOwnAnchors } from './checkAnchors.ts'
import vectors from './vectors/vectors.json' with { type: 'json' }
import { publishNewest } from './publish/publishRegister.ts'
import { resumeRegister } from './resumeRegister.ts'
import { ANCHOR_CODE, anchorCodeHash, rootOf } from './verify.mjs'

const database = useDatabase()
const chain = usePaymentChain()
const OPERATOR = 'operator@example.com'
const { abi } = registerAnchor
const SIZES = exampleSizes.slice(0, 3) as [number, number, number]
const rootAt = (size: number) => rootOf(exampleHashes.slice(0, size))

let publisher: ReturnType<typeof makeAccount>
let privateKey: `0x${string}`
let contract: Address
let server: TestServer

beforeEach(async () => {
  await forgetLog(database.superuser)
  // The log begins after set-up.
  await sql(database.superuser.em.fork(), 'update installation set set_up_at = now()')
  privateKey = generatePrivateKey()
  publisher = privateKeyToAccount(privateKey)
  contract = await deployOnce(chain.client, makeAccount(), { ...registerAnchor, args: [publisher.address] })
  await chain.client.setBalance({ address: publisher.address, value: parseEther('1') })
  // The contract is final.
  await chain.mine(5)
  server = await start()
})

/** Another process with the same database, perhaps through a proxy. */
const start = (
  env: Record<string, string> = {},
  through: Parameters<typeof startServer>[0] = database,
  config: NonNullable<Parameters<typeof startServer>[1]>['config'] = {},
) =>
  startServer(through, {
    config,
    env: {
      ...REGISTER_ON,
      BSC_RPC_URLS: chain.url,
      ANCHOR_PRIVATE_KEY: privateKey,
      REGISTER_ANCHOR_ADDRESS: contract,
      ALERT_EMAIL: OPERATOR,
      ...env,
    },
  })

const round = (on: TestServer = server, step?: (step: AnchorStep) => Promise<void>) => anchorNewest(on.services, step && { step })
const anchors = () => chain.client.readContract({ address: contract, abi, functionName: 'since', args: [0n] })
const sizes = async () => (await anchors()).map(({ size }) => Number(size))
/** A round that sends, the blocks until its anchor is final, and a round that finds it. */
async function anchor(on: TestServer = server) {
  await round(on)
  await chain.mine(5)
  await round(on)
}
async function stored() {
  const rows = await sql<{ size: number; root: Buffer }>(
    database.orm.em.fork(),
    'select size, root from register_anchors order by index',
  )
  return rows.map(({ size, root }) => [Number(size), Buffer.from(root).toString('hex')])
}
async function state() {
  const [row] = await sql<{ stopped_because: string | null; unanchored_because: string | null }>(
    database.orm.em.fork(),
    'select stopped_because, unanchored_because from register_state',
  )
  return row!
}
const foreignAnchor = (size: number, root: `0x${string}`) =>
  chain.client
    .writeContract({ account: publisher, address: contract, abi, functionName: 'anchor', args: [BigInt(size), root] })
    .then(() => chain.mine(5))
const mayPublish = (on: TestServer = server) => requireOwnAnchors(on.services, paymentEndpoints(on.services.config))

test('the newest checkpoint is anchored once, and stored when it is final', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  await round()
  expect(await stored()).toEqual([])
  for (let times = 0; times < 3; times++) await round()
  await chain.mine(5)
  await round()
  await publishExample(database.orm, { upTo: SIZES[1] })
  await publishExample(database.orm, { upTo: SIZES[2] })
  await anchor()
  await anchor()

  const wanted = [SIZES[0], SIZES[2]].map((size) => [size, rootAt(size).toString('hex')])
  expect((await anchors()).map(({ size, root }) => [Number(size), root.slice(2)])).toEqual(wanted)
  expect(await stored()).toEqual(wanted)
  await mayPublish()
})

test('the contract has the code that verifiers compare', async () => {
  const code = Buffer.from((await chain.client.getCode({ address: contract }))!.slice(2), 'hex')
  expect(anchorCodeHash(code, Buffer.from(publisher.address.slice(2), 'hex'))).toBe(ANCHOR_CODE)
})

test.for(anchorSteps)('a process killed after step "%s" leaves nothing undone or done twice', async (at) => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  const killed = round(server, async (step) => {
    if (step === at) throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  const next = await start()
  await anchor(next)
  expect(await sizes()).toEqual([SIZES[0]])
  expect(await stored()).toHaveLength(1)
})

test.for(['pg_current_xact_id', 'commit'])(
  'a stored anchor is sent again only after a confirmed commit: nothing is sent if that breaks at "%s"',
  async (at) => {
    await publishExample(database.orm, { upTo: SIZES[0] })
    const killed = round(server, async (step) => {
      if (step === 'stored') throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    const proxy = await startDatabaseProxy(database.url)
    const next = await start({}, { url: proxy.url })
    proxy.breakAt(at, 'before')

    await expect(round(next)).rejects.toSatisfy(isUnavailable)
    await chain.mine(1)
    expect(await sizes()).toEqual([])

    await anchor(next)
    expect(await sizes()).toEqual([SIZES[0]])
  },
)

test('an answer that is lost changes nothing', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  const rpc = await startFaultyRpc(chain.url)
  const unlucky = await start({ BSC_RPC_URLS: rpc.url })
  let sent = 0
  rpc.fail(async ({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined
    sent += 1
    if (sent > 1) return undefined
    await chain.client.sendRawTransaction({ serializedTransaction: params[0] as `0x${string}` })
    return 'drop'
  })
  await round(unlucky)
  await anchor(unlucky)
  expect(await sizes()).toEqual([SIZES[0]])
  expect(await state()).toEqual({ stopped_because: null, unanchored_because: null })
})

test('two workers anchor one checkpoint once', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  const other = await start()
  await Promise.all([round(), round(other)])
  await chain.mine(5)
  await Promise.all([round(), round(other)])
  expect(await sizes()).toEqual([SIZES[0]])
})

test('without coins the operator is told once, publication goes on, and the anchor follows when there are some', async () => {
  await chain.client.setBalance({ address: publisher.address, value: 0n })
  await publishExample(database.orm, { upTo: SIZES[0] })
  await expect(round()).rejects.toThrow(/^ALERT: The wallet 0x[0-9a-f]{40}, which anchors the register, has too little BNB/)
  await round()
  await mayPublish()
  expect((await mailsTo(database, OPERATOR)).filter(({ text }) => text.includes(publisher.address.toLowerCase()))).toHaveLength(1)
  expect((await state()).unanchored_because).toContain('too little BNB')

  await chain.client.setBalance({ address: publisher.address, value: parseEther('1') })
  await anchor()
  expect(await sizes()).toEqual([SIZES[0]])
  expect((await state()).unanchored_because).toBeNull()
})

test('the operator is told until when a day has to be anchored, and again when the next day is at stake', async () => {
  await chain.client.setBalance({ address: publisher.address, value: 0n })
  await publishExample(database.orm)
  const entries = vectors.log.entries.map((text) => parseEntry(text))
  const caughtUp = entries.flatMap((entry) => (entry.kind === 'note' && entry.topic === 'caught-up' ? [entry.subject] : []))
  const days = entries.flatMap((entry) => (entry.kind === 'day' && !caughtUp.includes(entry.day) ? [entry] : []))
  const [before, last] = days.slice(-2) as [EntryOf<'day'>, EntryOf<'day'>]
  const real = await start({}, database, { demo: false })
  const reasonAt = async (time: number) => {
    real.clock.set(new Date(time))
    await round(real).catch(() => {})
    return (await state()).unanchored_because
  }
  expect(await reasonAt(before.due.getTime() + HOUR)).toContain(`the check of day ${before.day} fails for good`)
  const until = new Date(last.due.getTime() + 36 * HOUR).toISOString().slice(0, 16).replace('T', ' ')
  expect(await reasonAt(before.due.getTime() + 36 * HOUR)).toContain(
    `Unless it is anchored before ${until} UTC, the check of day ${last.day} fails for good for everybody.`,
  )
  expect(await reasonAt(last.due.getTime() + 36 * HOUR)).not.toContain('fails for good')
})

test('a foreign root stops publication until an operator acts, and the operator is told once', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  await foreignAnchor(SIZES[0], toHex(7, { size: 32 }))
  await expect(mayPublish()).rejects.toThrow(
    /^ALERT: The contract 0x[0-9a-f]{40} has an anchor of \d+ entries that is not of our register/,
  )
  await expect(mayPublish()).rejects.toThrow(/^The contract/)
  await round()
  expect((await mailsTo(database, OPERATOR)).filter(({ text }) => text.includes(contract.toLowerCase()))).toHaveLength(1)
  expect((await state()).stopped_because).toContain('ours has another root there')
  expect(await stored()).toEqual([])
})

test('an older backup, whose log is shorter than an anchored size, stops publication', async () => {
  await publishExample(database.orm, { upTo: SIZES[1] })
  await anchor()
  await forgetLog(database.superuser)
  await publishExample(database.orm, { upTo: SIZES[0] })
  const restored = await start()
  await expect(round(restored)).rejects.toThrow('ours has fewer entries')
  await expect(mayPublish(restored)).rejects.toThrow('ours has fewer entries')
  expect(await sizes()).toEqual([SIZES[1]])
})

/** The site and token of the example log's first entry. */
const SITE_OF_EXAMPLE = {
  PUBLIC_URL: 'https://nodes.example.com',
  USDT_ADDRESS: '0x55d398326f99059ff775485246999027b3197955',
  XCR_TOKEN_ADDRESS: '0x0000000000000000000000000000000000000c01',
}

/** As in a restored dump: the register was signed elsewhere. */
const restore = () => sql(database.orm.em.fork(), `update register_state set signed_in = 'another'`)
const resume = (knownSize?: number, on: TestServer = server) =>
  resumeRegister(on.services, { endpoints: paymentEndpoints(on.services.config), actor: 'operator:me', knownSize })

test('each publication notes the database in which it is signed', async () => {
  await publishNewest(server.services)
  const [row] = await sql<{ signed_in: string }>(database.orm.em.fork(), 'select signed_in from register_state')
  expect(row!.signed_in).toMatch(/^\d+\/\d+\/\d+$/)
  await mayPublish()
})

test('a restored dump without anchors publishes nothing until an operator says how much was published', async () => {
  const without = await start({ ...SITE_OF_EXAMPLE, ANCHOR_PRIVATE_KEY: '', REGISTER_ANCHOR_ADDRESS: '' })
  await publishExample(database.orm, { upTo: SIZES[0] })
  await restore()
  await expect(publishNewest(without.services)).rejects.toThrow(
    `ALERT: This database was restored from a dump, in which the register has ${SIZES[0]} entries.`,
  )
  await publishNewest(without.services)
  const [{ count } = { count: 0 }] = await sql<{ count: number }>(
    database.orm.em.fork(),
    'select count(*)::int as count from register_entries',
  )
  expect(count).toBe(SIZES[0])
  expect((await mailsTo(database, OPERATOR)).filter(({ text }) => text.includes('restored from a dump'))).toHaveLength(1)

  expect(await resume(undefined, without)).toMatchObject({
    isResumed: false,
    text: expect.stringContaining('Look up the newest checkpoint'),
  })
  expect(await resume(SIZES[0] + 1, without)).toMatchObject({
    isResumed: false,
    text: expect.stringContaining('begin a new register'),
  })
  await expect(mayPublish(without)).rejects.toThrow(RegisterStopped)
  expect(await resume(SIZES[0], without)).toMatchObject({ isResumed: true })
  await mayPublish(without)
})

test('an anchor of all entries of a restored dump does not show that nothing was published after them', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  await anchor()
  await restore()
  await expect(mayPublish()).rejects.toThrow('restored from a dump')
  expect(await resume()).toMatchObject({ isResumed: false, text: expect.stringContaining('Look up the newest checkpoint') })
  await expect(mayPublish()).rejects.toThrow(RegisterStopped)
  expect(await resume(SIZES[0])).toMatchObject({ isResumed: true })
  await mayPublish()
})

test('an operator resumes publication once every anchored root is of the log', async () => {
  await publishExample(database.orm, { upTo: SIZES[1] })
  await anchor()
  await forgetLog(database.superuser)
  await publishExample(database.orm, { upTo: SIZES[0] })
  await expect(mayPublish()).rejects.toThrow('ours has fewer entries')

  expect(await resume()).toMatchObject({ isResumed: false, text: expect.stringContaining('ours has fewer entries') })
  await expect(mayPublish()).rejects.toThrow(RegisterStopped)

  // The backup with the missing entries.
  await publishExample(database.orm, { upTo: SIZES[1] })
  await expect(mayPublish()).rejects.toThrow(RegisterStopped)
  expect(await resume()).toEqual({ isResumed: true, text: 'Every anchored root is one of the register. It publishes again.' })
  await mayPublish()
  expect(
    await sql(
      database.orm.em.fork(),
      `select actor from audit_entries where action = 'register.resume' order by id desc limit 1`,
    ),
  ).toEqual([{ actor: 'operator:me' }])
})

test('while the chain is away publication waits, nothing is logged, and the operator is told after six hours', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  const rpc = await startFaultyRpc(chain.url)
  rpc.fail(() => 'drop')
  const cut = await start({ BSC_RPC_URLS: rpc.url })
  await expect(mayPublish(cut)).rejects.toThrow(ChainUnavailable)
  await round(cut)
  expect((await state()).unanchored_because).toBeNull()
  await database.superuser.em.fork().transactional(async (em) => {
    await sql(em, 'set local session_replication_role = replica')
    await sql(em, `update register_checkpoints set created_at = now() - interval '7 hours'`)
  })
  await expect(round(cut)).rejects.toThrow('ALERT: The newest roots of the register have not been anchored for six hours.')
  await round(cut)
})

test('a chain that is too young for a final block has no final anchors', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  await foreignAnchor(SIZES[0], toHex(7, { size: 32 }))
  await mayPublish(await start({ PAYMENT_CONFIRMATIONS: '1000000' }))
})

test('one of two endpoints that shows a foreign root cannot stop publication', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  await anchor()
  const liar = await startFaultyRpc(chain.url)
  liar.fail(({ method, params }) =>
    method === 'eth_call' && JSON.stringify(params).includes('0xa570b829')
      ? { rewrite: (answer: string) => `${answer.slice(0, -64)}${'7'.repeat(64)}` }
      : undefined,
  )
  await sql(database.orm.em.fork(), 'delete from register_anchors')
  const doubtful = await start({ BSC_RPC_URLS: `${chain.url},${liar.url.replace('127.0.0.1', 'localhost')}` })
  await expect(mayPublish(doubtful)).rejects.toThrow(ChainUnavailable)
  expect((await state()).stopped_because).toBeNull()
  await mayPublish()
})

test('a contract of another publisher is reported, and nothing is sent to it', async () => {
  const others = await deployOnce(chain.client, makeAccount(), { ...registerAnchor, args: [makeAccount().address] })
  await chain.mine(5)
  await publishExample(database.orm, { upTo: SIZES[0] })
  const wrong = await start({ REGISTER_ANCHOR_ADDRESS: others })
  await expect(round(wrong)).rejects.toThrow('has another publisher')
  const nowhere = await start({ REGISTER_ANCHOR_ADDRESS: makeAccount().address })
  await expect(round(nowhere)).rejects.toThrow('there is none at this address')
  expect(await chain.client.getTransactionCount({ address: publisher.address })).toBe(0)
})

test.for(['no contract', 'a contract with one other byte', 'a contract of another publisher'])(
  'an address with %s is not named: nothing is published and the operator is told once, until it is corrected',
  async (what) => {
    const wrong = makeAccount().address
    if (what !== 'no contract') {
      const named = what.includes('publisher') ? makeAccount() : publisher
      const word = `7f${named.address.slice(2).toLowerCase().padStart(64, '0')}`
      const bytecode = registerAnchor.deployedBytecode.replaceAll(`7f${'00'.repeat(32)}`, word)
      const other = what.includes('byte') ? `${bytecode.slice(0, -2)}00` : bytecode
      await chain.client.setCode({ address: wrong, bytecode: other as `0x${string}` })
      await chain.mine(5)
    }
    const mistaken = await start({ REGISTER_ANCHOR_ADDRESS: wrong })
    await expect(publishNewest(mistaken.services)).rejects.toThrow(
      /^ALERT: The anchor contract 0x[0-9a-f]{40} has another publisher/,
    )
    await expect(publishNewest(mistaken.services)).rejects.toThrow(/^The anchor contract/)
    expect(await sql(database.orm.em.fork(), 'select from register_entries')).toEqual([])
    expect((await mailsTo(database, OPERATOR)).filter(({ text }) => text.includes(wrong.toLowerCase()))).toHaveLength(1)

    await publishNewest(server.services)
    const [genesis] = await sql<{ text: string }>(database.orm.em.fork(), 'select text from register_entries where index = 0')
    expect(genesis!.text).toContain(`\nanchor 56 ${contract.toLowerCase()}\n`)
  },
)

test('a contract that was deployed a moment ago is named once it is final', async () => {
  const young = await deployOnce(chain.client, makeAccount(), { ...registerAnchor, args: [publisher.address] })
  const early = await start({ REGISTER_ANCHOR_ADDRESS: young })
  await publishNewest(early.services)
  expect(await sql(database.orm.em.fork(), 'select from register_entries')).toEqual([])
  await chain.mine(5)
  await publishNewest(early.services)
  expect(await sql(database.orm.em.fork(), 'select from register_entries')).not.toEqual([])
})

test('a transaction that is not mined for a minute is replaced by one with higher fees', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  await chain.client.setAutomine(false)
  try {
    await round()
    await round()
    const [first] = await sql<{ hash: string; nonce: number }>(
      database.orm.em.fork(),
      'select hash, nonce from register_anchorings',
    )
    server.clock.advance(2 * MINUTE)
    await round()
    const [second] = await sql<{ hash: string; nonce: number }>(
      database.orm.em.fork(),
      'select hash, nonce from register_anchorings',
    )
    expect([second!.nonce, second!.hash === first!.hash]).toEqual([first!.nonce, false])
    await chain.mine(1)
    expect(await sizes()).toEqual([SIZES[0]])
    expect((await chain.receipt(second!.hash as `0x${string}`)).status).toBe('success')
  } finally {
    await chain.client.setAutomine(true)
  }
})

test('an installation whose anchor is no longer configured still compares the contracts that its log names', async () => {
  await publishExample(database.orm, { upTo: SIZES[0] })
  const without = await start({ ANCHOR_PRIVATE_KEY: '', REGISTER_ANCHOR_ADDRESS: '' })
  await mayPublish(without)
  await round(without)
  const named = '0x0000000000000000000000000000000000000a07'
  const word = `7f${publisher.address.slice(2).toLowerCase().padStart(64, '0')}`
  const bytecode = registerAnchor.deployedBytecode.replaceAll(`7f${'00'.repeat(32)}`, word) as `0x${string}`
  await chain.client.setCode({ address: named, bytecode })
  const args = [BigInt(SIZES[0]), toHex(7, { size: 32 })] as const
  await chain.client.writeContract({ account: publisher, address: named, abi, functionName: 'anchor', args })
  await chain.mine(5)
  await expect(mayPublish(without)).rejects.toThrow(`The contract ${named} has an anchor`)
})
