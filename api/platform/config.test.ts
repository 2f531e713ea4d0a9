import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Environment, listMissing, listWeakSecrets, readConfig } from './config.ts'
import { ConfigError } from './ConfigError.ts'
import { variables } from './variables.ts'
import { startEmbeddedStack } from '#api/dev/startEmbeddedStack.ts'
import { rateLimits } from './http/limitRate.ts'

const example = readFileSync(path.join(import.meta.dirname, '../../.env.example'), 'utf8')
const listed = [...example.matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => ({ name, value }))

/** Sufficient for development. */
const embedded: Environment = {
  ENCRYPTION_KEY: 'ab'.repeat(32),
  DATABASE_URL: 'postgres://localhost/xcr',
  SMTP_URL: 'smtp://localhost',
  BSC_RPC_URLS: 'http://localhost:8545',
  DEPOSIT_ADDRESS: `0x${'a'.repeat(40)}`,
  XCR_RPC_URLS: 'http://localhost:8546',
  XCR_TOKEN_ADDRESS: `0x${'b'.repeat(40)}`,
  PAYOUT_PRIVATE_KEY: 'cd'.repeat(32),
  REGISTER_SIGNING_KEY: '12'.repeat(32),
  RECEIPT_SIGNING_KEY: '34'.repeat(32),
  VAPID_PRIVATE_KEY: '56'.repeat(32),
}

function problemsOf(env: Environment): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('.env.example lists exactly the existing variables, in their order', () => {
  expect(listed.map(({ name }) => name)).toEqual(['NODE_ENV', ...Object.keys(variables)])
})

test('.env.example shows the default of each variable', () => {
  const shown = Object.fromEntries(listed.map(({ name, value }) => [name, value]))
  for (const [name, variable] of Object.entries(variables))
    if ('fallback' in variable) expect(shown[name], name).toBe(variable.fallback)
})

test('.env.example explains every variable', () => {
  for (const { name } of listed) expect(example, name).toMatch(new RegExp(`^# [^\\n]*[.:]\\n# ${name}=`, 'm'))
})

test('.env.example lists every rate limit with its default', () => {
  const defaults = Object.entries(rateLimits).map(([name, { points, seconds }]) => `${name}=${points}/${seconds}`)
  expect([...example.matchAll(/^# {3}(\w+=\d+\/\d+)/gm)].map(([, limit]) => limit)).toEqual(defaults)
})

test('production without configuration lists everything that is missing', () => {
  const required = Object.entries(variables).filter(([, { required }]) => required === 'production' || required === 'embedded')
  expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
    ...required.map(([name]) => `${name} is missing`),
    ...registerKeys.map((name) => `${name} is missing: the public register needs it, unless REGISTER=off`),
    'VAPID_PRIVATE_KEY is missing: push messages need it, unless PUSH=off',
  ])
})

const registerKeys = ['REGISTER_SIGNING_KEY', 'RECEIPT_SIGNING_KEY'] as const

test.each(['production', 'development'])(
  'the register is refused without its keys unless it is off (NODE_ENV %s)',
  (NODE_ENV) => {
    const aboutRegister = (env: Environment) => problemsOf(env).filter((problem) => problem.includes('REGISTER=off'))
    const without = { ...embedded, NODE_ENV, REGISTER_SIGNING_KEY: '', RECEIPT_SIGNING_KEY: undefined }
    expect(aboutRegister(without)).toEqual(registerKeys.map((name) => expect.stringMatching(`^${name} is missing`)))
    expect(aboutRegister({ ...embedded, NODE_ENV, RECEIPT_SIGNING_KEY: '' })).toHaveLength(1)
    expect(aboutRegister({ ...without, REGISTER: 'off' })).toEqual([])
    expect(problemsOf({ ...embedded, RECEIPT_SIGNING_KEY: 'abcd' })).toEqual(['RECEIPT_SIGNING_KEY must be 32 bytes in hex'])
  },
)

test.each(['production', 'development'])('push messages need their key unless they are off (NODE_ENV %s)', (NODE_ENV) => {
  const without = { ...embedded, NODE_ENV, VAPID_PRIVATE_KEY: '' }
  const problem = 'VAPID_PRIVATE_KEY is missing: push messages need it, unless PUSH=off'
  expect(problemsOf(without)).toContain(problem)
  expect(problemsOf({ ...without, PUSH: 'off' })).not.toContain(problem)
})

test('push messages are signed with the key and sent to the push services of browsers only', () => {
  const { push } = readConfig({ ...embedded, SUPPORT_EMAIL: 'help@example.com' })
  expect(push).toMatchObject({ subject: 'mailto:help@example.com', privateKey: expect.stringMatching(/^[\w-]{43}$/) })
  expect(Buffer.from(push!.publicKey, 'base64url')).toHaveLength(65)
  expect(push!.hosts).toContain('*.push.apple.com')
  expect(readConfig({ ...embedded, PUSH_HOSTS: 'Push.example.com, *.example.org' }).push?.hosts).toEqual([
    'push.example.com',
    '*.example.org',
  ])
  for (const PUSH_HOSTS of ['10.0.0.1', '*', '*.*.example.com', 'https://push.example.com', 'localhost'])
    expect(problemsOf({ ...embedded, PUSH_HOSTS }), PUSH_HOSTS).toEqual(['PUSH_HOSTS must be host names'])
  expect(problemsOf({ ...embedded, VAPID_SUBJECT: 'http://example.com' })).toHaveLength(1)
  expect(readConfig({ ...embedded, PUSH: 'off' }).push).toBeUndefined()
})

test('the register is named after the site, and is undefined when it is off', () => {
  const on = readConfig({ ...embedded, PUBLIC_URL: 'https://Nodes.example.com/' })
  expect(on.register).toEqual({
    origin: 'nodes.example.com/register',
    signingKey: new Uint8Array(32).fill(0x12),
    receiptKey: new Uint8Array(32).fill(0x34),
    anchor: undefined,
  })
  expect(readConfig({ ...embedded, PORT: '3100' }).register?.origin).toBe('localhost:3100/register')
  expect(readConfig({ ...embedded, REGISTER: 'off' }).register).toBeUndefined()
})

test('an anchor needs its contract and its key', () => {
  const anchor = { ANCHOR_PRIVATE_KEY: 'ef'.repeat(32), REGISTER_ANCHOR_ADDRESS: `0x${'c'.repeat(40)}` }
  const { ANCHOR_PRIVATE_KEY, REGISTER_ANCHOR_ADDRESS } = anchor
  expect(readConfig({ ...embedded, ...anchor }).register?.anchor).toEqual({
    address: REGISTER_ANCHOR_ADDRESS,
    privateKey: `0x${ANCHOR_PRIVATE_KEY}`,
  })
  expect(problemsOf({ ...embedded, ANCHOR_PRIVATE_KEY })).toEqual([
    'REGISTER_ANCHOR_ADDRESS is missing: ANCHOR_PRIVATE_KEY needs it',
  ])
  expect(problemsOf({ ...embedded, REGISTER_ANCHOR_ADDRESS })).toEqual([
    'ANCHOR_PRIVATE_KEY is missing: REGISTER_ANCHOR_ADDRESS needs it',
  ])
})

test('wallets are given at least two RPC addresses of the reward chain', () => {
  const problem = expect.stringMatching(/^XCR_WALLET_RPC_URLS.*needs two addresses/)
  expect(problemsOf({ ...embedded, XCR_WALLET_RPC_URLS: 'https://rpc.example.com' })).toEqual([problem])
  expect(problemsOf({ ...embedded, XCR_WALLET_RPC_URLS: 'https://rpc.example.com,https://rpc2.example.com' })).toEqual([])
})

const seller = ['SELLER_NAME', 'SELLER_ADDRESS', 'TERMS_URL', 'PRIVACY_URL', 'REFUNDS_URL', 'RISK_URL'] as const

test('production runs without the seller’s details and names the missing ones; development needs none', () => {
  const config = readConfig(embedded)
  expect(listMissing(config)).toEqual([])
  expect(listMissing({ ...config, production: true })).toEqual(seller)
  expect(listMissing({ ...config, production: true, SELLER_NAME: 'Example Nodes Ltd' })).toEqual(seller.slice(1))
})

test('production names each secret that is typed or used twice, how to make one, and never the secret itself', () => {
  const random = () => randomBytes(32).toString('hex')
  const good = {
    ...embedded,
    ENCRYPTION_KEY: random(),
    PAYOUT_PRIVATE_KEY: `00${random().slice(2)}`,
    REGISTER_SIGNING_KEY: random(),
    RECEIPT_SIGNING_KEY: random(),
    VAPID_PRIVATE_KEY: `00${random().slice(2)}`,
    METRICS_TOKEN: randomBytes(32).toString('base64'),
  }
  const weakOf = (env: Environment, production = true) => listWeakSecrets({ ...readConfig({ ...good, ...env }), production })
  expect(weakOf({})).toEqual([])

  const weak = {
    ENCRYPTION_KEY: '0123456789abcdef'.repeat(4),
    RECEIPT_SIGNING_KEY: `0x${good.REGISTER_SIGNING_KEY.toUpperCase()}`,
    METRICS_TOKEN: '1234'.repeat(4),
  }
  expect(weakOf(weak)).toEqual([
    'ENCRYPTION_KEY is not random: openssl rand -hex 32 prints a good one',
    'RECEIPT_SIGNING_KEY is the same as REGISTER_SIGNING_KEY: openssl rand -hex 32 prints a good one',
    'METRICS_TOKEN is not random: openssl rand -base64 32 prints a good one',
  ])
  expect(weakOf(weak, false)).toEqual([])
})

test('links for visitors must be web addresses', () => {
  const links = Object.fromEntries(seller.map((name) => [name, 'javascript:alert(1)']))
  expect(problemsOf({ ...embedded, ...links }).map((problem) => problem.split(' ')[0])).toEqual(seller.slice(2))
})

test('production does not use the defaults of development', () => {
  expect(problemsOf({ NODE_ENV: 'production', ...embedded })).toContain('MAIL_FROM is missing')
})

test('all invalid values are reported at once', () => {
  const problems = problemsOf({ ...embedded, PORT: 'http', DEPOSIT_ADDRESS: '0x12', TOTAL_NODE_SUPPLY: '0' })
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['PORT', 'DEPOSIT_ADDRESS', 'TOTAL_NODE_SUPPLY'])
})

const addresses = ['USDT_ADDRESS', 'DEPOSIT_ADDRESS', 'XCR_TOKEN_ADDRESS', 'REGISTER_ANCHOR_ADDRESS'] as const

test.each(addresses)('%s with a typing error is refused, because nobody would own the address', (name) => {
  const set = (value: string) => ({
    ...embedded,
    USDT_ADDRESS: `0x${'b'.repeat(40)}`,
    ANCHOR_PRIVATE_KEY: 'ef'.repeat(32),
    REGISTER_ANCHOR_ADDRESS: `0x${'c'.repeat(40)}`,
    [name]: value,
  })
  const usdt = '0x55d398326f99059fF775485246999027B3197955'
  expect(readConfig(set(usdt))[name]).toBe(usdt.toLowerCase())
  expect(problemsOf(set(usdt.replace(/5$/, '6')))).toEqual([`${name} has a typing error: its checksum is wrong`])
  expect(problemsOf(set(usdt.replace('fF7', 'ff7')))).toEqual([`${name} has a typing error: its checksum is wrong`])
  // Text in one case has no checksum.
  for (const plain of [usdt.toLowerCase(), `0x${usdt.slice(2).toUpperCase()}`]) expect(problemsOf(set(plain))).toEqual([])
  expect(problemsOf(set(`0x${'0'.repeat(40)}`))).toEqual([`${name} must not be the zero address`])
})

test.each(['USDT_ADDRESS', 'XCR_TOKEN_ADDRESS', 'REGISTER_ANCHOR_ADDRESS'] as const)(
  'the deposit address must not be that of %s, from which nobody could take a payment',
  (name) => {
    const contract = '0x55d398326f99059fF775485246999027B3197955'
    const anchor = { ANCHOR_PRIVATE_KEY: 'ef'.repeat(32), REGISTER_ANCHOR_ADDRESS: `0x${'c'.repeat(40)}` }
    const env = { ...embedded, USDT_ADDRESS: `0x${'b'.repeat(40)}`, ...anchor, DEPOSIT_ADDRESS: contract.toLowerCase() }
    expect(problemsOf({ ...env, [name]: contract })).toEqual([
      `DEPOSIT_ADDRESS must not be the contract of ${name}: payments there are lost`,
    ])
  },
)

const wrongValues = [
  ['PUBLIC_URL', 'nodes.example.com:443'],
  ['PUBLIC_URL', 'https://nodes.example.com/shop'],
  ['PUBLIC_URL', 'https://nodes.example.com/?from=mail'],
  ['PUBLIC_URL', 'wss://nodes.example.com'],
  ['BSC_RPC_URLS', 'wss://rpc.example.com'],
  ['XCR_RPC_URLS', 'https://rpc.example.com,wss://rpc2.example.com'],
  ['SMTP_URL', 'http://mail.example.com:587'],
  ['PAYMENT_CONFIRMATIONS', '0'],
  ['RATE_LIMITS', 'foo'],
  ['RATE_LIMITS', 'login_ip=many/900'],
  ['PAYOUT_PRIVATE_KEY', '0'.repeat(64)],
  ['PAYOUT_PRIVATE_KEY', 'f'.repeat(64)],
  ['ANCHOR_PRIVATE_KEY', '0'.repeat(64)],
  ['VAPID_PRIVATE_KEY', '0'.repeat(64)],
] as const

test.each(wrongValues)('%s=%s is refused', (name, value) => {
  const env = { ...embedded, REGISTER_ANCHOR_ADDRESS: `0x${'c'.repeat(40)}`, ANCHOR_PRIVATE_KEY: 'ef'.repeat(32) }
  expect(problemsOf({ ...env, [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
})

test.each([
  ['PUBLIC_URL', 'https://nodes.example.com/', 'https://nodes.example.com'],
  ['PUBLIC_URL', 'http://localhost:3000', 'http://localhost:3000'],
  ['SMTP_URL', 'smtps://user:password@mail.example.com', 'smtps://user:password@mail.example.com'],
  ['RATE_LIMITS', 'login_ip=120/900 codes_sent=5/86400', 'login_ip=120/900 codes_sent=5/86400'],
] as const)('%s=%s is read as %s', (name, value, read) => {
  expect(readConfig({ ...embedded, [name]: value })[name]).toBe(read)
})

test('Turnstile without its keys is refused with both names', () => {
  expect(problemsOf({ ...embedded, CAPTCHA_PROVIDER: 'turnstile' })).toEqual([
    'CAPTCHA_SITE_KEY is missing: turnstile needs it',
    'CAPTCHA_SECRET_KEY is missing: turnstile needs it',
  ])
})

test('an empty value counts as missing', () => {
  expect(readConfig({ ...embedded, PORT: ' ' }).PORT).toBe(3000)
})

const ofChains = ['BSC_RPC_URLS', 'DEPOSIT_ADDRESS', 'XCR_RPC_URLS', 'XCR_TOKEN_ADDRESS', 'PAYOUT_PRIVATE_KEY'] as const

test.each([undefined, 'development', 'test', 'production'])(
  'chains, keys and deposit address configured in part are refused, with all that is missing (NODE_ENV %s)',
  async (NODE_ENV) => {
    const { SMTP_URL, DATABASE_URL } = embedded
    // Every subset of the five except none and all.
    for (let choice = 1; choice < 2 ** ofChains.length - 1; choice += 1) {
      const [given, missing] = [1, 0].map((bit) => ofChains.filter((_, place) => ((choice >> place) & 1) === bit)) as [
        Names,
        Names,
      ]
      const env = { SMTP_URL, DATABASE_URL, NODE_ENV, ...Object.fromEntries(given.map((name) => [name, embedded[name]])) }
      const words = 'is missing: chains, keys and deposit address are configured all together, or not at all'
      await expect(startEmbeddedStack(env, { dataDir: '/nonexistent' }), given.join()).rejects.toMatchObject({
        problems: missing.map((name) => `${name} ${words}`),
      })
    }
  },
)

type Names = (typeof ofChains)[number][]
