// Writes the test vectors of ../format.md to standard output. Deterministic; Node 20 or later, no dependencies, and no code shared with the
// product or with check.py: `node generate.mjs > vectors.json`.
import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify } from 'node:crypto'

// Bytes, trees, secrets

const sha = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest()
const utf8 = (text) => Buffer.from(text)
const hex = (bytes) => bytes.toString('hex')
const b64 = (bytes) => bytes.toString('base64')
const u32 = (value) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const u128 = (value) => Buffer.from(value.toString(16).padStart(32, '0'), 'hex')
const leafHash = (data) => sha(Buffer.from([0]), data)
const nodeHash = (left, right) => sha(Buffer.from([1]), left, right)
const split = (size) => {
  let k = 1
  while (k * 2 < size) k *= 2
  return k
}
const root = (hashes) => {
  if (hashes.length === 0) return sha()
  if (hashes.length === 1) return hashes[0]
  const k = split(hashes.length)
  return nodeHash(root(hashes.slice(0, k)), root(hashes.slice(k)))
}
const inclusion = (index, hashes) => {
  if (hashes.length === 1) return []
  const k = split(hashes.length)
  return index < k
    ? [...inclusion(index, hashes.slice(0, k)), root(hashes.slice(k))]
    : [...inclusion(index - k, hashes.slice(k)), root(hashes.slice(0, k))]
}
const subproof = (size, hashes, isWhole) => {
  if (size === hashes.length) return isWhole ? [] : [root(hashes)]
  const k = split(hashes.length)
  return size <= k
    ? [...subproof(size, hashes.slice(0, k), isWhole), root(hashes.slice(k))]
    : [...subproof(size - k, hashes.slice(k), false), root(hashes.slice(0, k))]
}
const consistency = (size, hashes) => subproof(size, hashes, true)
const blocks = (items) => Array.from({ length: Math.ceil(items.length / 256) }, (_, i) => items.slice(i * 256, i * 256 + 256))

const hkdf = (proofKey, label) => Buffer.from(hkdfSync('sha256', proofKey, Buffer.alloc(0), utf8(`xcr-register/v1 ${label}`), 32))
const emailHash = (email) => sha(utf8(email))
const accountHash = ({ proofKey, email }) => sha(utf8('xcr-register/account/v1\n'), proofKey, emailHash(email))
const holder = ({ proofKey, email }, day, number) =>
  sha(utf8('xcr-register/node/v1\n'), hkdf(proofKey, `day ${day}`), utf8(day), u32(number), emailHash(email))
const nodeLeaf = (state, kind, c, earned) => Buffer.concat([Buffer.from([1, state, kind, 0]), c, u128(earned)])
const FREE = nodeLeaf(0, 0, Buffer.alloc(32), 0n)

const keyOf = (seed) => {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seed)])
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const pub = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { key, pub, text: b64(Buffer.concat([Buffer.from([1]), pub])) }
}
const keyId = (name, { pub }) => sha(utf8(`${name}\n`), Buffer.from([1]), pub).subarray(0, 4)
const vkey = (name, key) => `${name}+${hex(keyId(name, key))}+${key.text}`
const signNote = (text, name, ...keys) =>
  `${text}\n${keys.map((key) => `— ${name} ${b64(Buffer.concat([keyId(name, key), sign(null, utf8(text), key.key)]))}\n`).join('')}`

// 1 RFC 6962 reference inputs (certificate-transparency test data)

const ct = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map((data) =>
  leafHash(Buffer.from(data, 'hex')),
)
const out = {
  rfc6962: {
    empty: hex(root([])),
    roots: ct.map((_, i) => hex(root(ct.slice(0, i + 1)))),
    inclusion_5_of_8: inclusion(5, ct).map(hex),
    consistency_6_to_8: consistency(6, ct).map(hex),
  },
}

// 2 Node leaves

const XCR = 10n ** 18n
const ann = { proofKey: Buffer.alloc(32, 0x11), email: 'buyer@example.com' }
const ben = { proofKey: Buffer.alloc(32, 0x12), email: 'ben@example.com' }
{
  const day = '2026-11-23'
  const leaves = [
    nodeLeaf(2, 1, holder(ann, day, 1), 20n * XCR),
    nodeLeaf(2, 1, holder(ann, day, 2), 20n * XCR),
    nodeLeaf(1, 2, holder(ann, day, 3), 0n),
    FREE,
    FREE,
  ]
  out.leaves = {
    daySecret: hex(hkdf(ann.proofKey, `day ${day}`)),
    account: hex(accountHash(ann)),
    nodeLeaf1: hex(leaves[0]),
    nodesRoot: b64(root(leaves.map(leafHash))),
  }
}

// 3 Checkpoint; the seed of the key is 32 × 0x22

const origin = 'nodes.example.com/register'
const logKey = keyOf(0x22)
{
  const text = `${origin}\n8\n${b64(root(ct))}\n`
  out.checkpoint = {
    vkey: vkey(origin, logKey),
    note: signNote(text, origin, logKey),
    ok: verify(null, utf8(text), createPublicKey(logKey.key), sign(null, utf8(text), logKey.key)),
  }
}

// 4 The example log. Seeds: receipt key 0x23, its successor 0x24, the log key's successor 0x25

const receiptName = `${origin}/receipts`
const [receiptKey, receiptKey2, logKey2] = [keyOf(0x23), keyOf(0x24), keyOf(0x25)]
const word = (byte) => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`
const wallet = '0x5cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb'
const deposits = '0x00000000000000000000000000000000000d0e05'
const payoutAddress = '0x00000000000000000000000000000000000a0a01'

const entry = (kind, lines) => `${kind}/v1\n${lines.map(([name, value]) => `${name} ${value ?? '-'}\n`).join('')}`
const bodyOf = (text) => text.slice(0, text.lastIndexOf('\nowner ') + 1)
const openEntry = (account, body) => {
  const h = sha(utf8(body))
  return { h, s: hkdf(account.proofKey, `entry ${b64(h)}`), e: emailHash(account.email) }
}
const own = (account, body) => {
  const { h, s, e } = openEntry(account, body)
  return b64(sha(utf8('xcr-register/entry/v1\n'), s, h, e))
}
const ownPayout = (account, body, { recipient, message }) => {
  const { h, s, e } = openEntry(account, body)
  const m = message === undefined ? Buffer.alloc(32) : sha(utf8(message))
  return b64(sha(utf8('xcr-register/payout/v1\n'), s, h, e, Buffer.from(recipient.slice(2), 'hex'), m))
}
const withOwner = (kind, lines, commit) => {
  const body = entry(kind, lines)
  return `${body}owner ${commit ? commit(body) : '-'}\n`
}
const requestId = (message) => b64(sha(utf8('xcr-register/request/v1\n'), sha(utf8(message))))

const genesis = (lines = {}) =>
  entry('genesis', [
    ['time', lines.time ?? '2026-11-20T08:00:00.000Z'],
    ['origin', origin],
    ['clock', lines.clock ?? 'real'],
    ['payment', '56 0x55d398326f99059ff775485246999027b3197955 18'],
    ['reward', '20250217 0x0000000000000000000000000000000000000c01 18'],
    ['anchor', 'anchor' in lines ? lines.anchor : '56 0x0000000000000000000000000000000000000a07'],
    ['log-key', logKey.text],
    ['receipt-key', receiptKey.text],
  ])
const deposit = (facts) =>
  withOwner(
    'deposit',
    [
      ['time', facts.time],
      ['transfer', facts.transfer],
      ['block', facts.block],
      ['mined', facts.mined],
      ['amount', facts.amount],
      ['decision', facts.decision],
      ['reason', facts.reason],
      ['group', facts.group?.id],
      ['numbers', facts.group?.numbers],
      ['price', facts.group?.price],
      ['priced', facts.group?.priced],
      ['allocated', facts.group?.allocated],
      ['active', facts.group?.active],
      ['refund', facts.refund],
      ['returned', facts.returned],
    ],
    facts.account && ((body) => own(facts.account, body)),
  )
const payout = (facts) =>
  withOwner(
    'payout',
    [
      ['time', facts.time],
      ['state', facts.state],
      ['transfer', facts.transfer],
      ['wallet', facts.wallet],
      ['net', facts.net],
      ['fee', facts.fee],
      ['request', facts.message && requestId(facts.message)],
    ],
    facts.account && ((body) => ownPayout(facts.account, body, facts)),
  )
const grant = ({ time, cause, group: { id, numbers, allocated, active }, account }) =>
  withOwner(
    'grant',
    [
      ['time', time],
      ['cause', cause],
      ['group', id],
      ['numbers', numbers],
      ['allocated', allocated],
      ['active', active],
    ],
    (body) => own(account, body),
  )
const setting = (kind, time, from, value) =>
  entry(kind, [
    ['time', time],
    ['from', from],
    [kind, value],
  ])
const addressEntry = (time, role, chain, address, block, proof) =>
  entry('address', [
    ['time', time],
    ['role', role],
    ['chain', chain],
    ['address', address],
    ['block', block],
    ['proof', proof],
  ])
const correction = (time, missed, reason, credits) =>
  entry('correction', [
    ['time', time],
    ['missed', missed],
    ['reason', reason],
    ['credits', credits],
  ])
const note = (time, topic, subject, text) =>
  entry('note', [
    ['time', time],
    ['topic', topic],
    ['subject', subject],
    ['text', text],
  ])
const genesisHash = leafHash(utf8(genesis()))
const keyEntry = (time, use, old, successor) => {
  const body = entry('key', [
    ['time', time],
    ['use', use],
    ['old', use === 'proof' ? old : old.text],
    ['new', successor?.text],
  ])
  const proof =
    use !== 'log' ? undefined : sign(null, Buffer.concat([utf8('xcr-register/key/v1\n'), genesisHash, utf8(body)]), old.key)
  return `${body}proof ${proof ? b64(proof) : '-'}\n`
}
const release = (time) =>
  entry('release', [
    ['time', time],
    ['verify', b64(sha(utf8('verify.mjs')))],
    ['page', b64(sha(utf8('build.txt')))],
    ['format', b64(sha(utf8('format.md')))],
  ])

/** The text that a payout wallet signs once, and its signature (EIP-191) by the key 32 × 0x33. */
const walletMessage = `${origin} pays XCR from this wallet.\n\nGenesis: ${b64(genesisHash)}\nChain: 20250217\nWallet: ${wallet}`
const walletSignature =
  '0xcd32e876e436c6fcec481b079b0455d8a24cf9a3ebaf004e6b73989ec6270b1e072e01285f824accc24623051af2e0e5579c150e30b7b75d5a20b30595fe72711c'

const message = `nodes.example.com asks you to confirm this withdrawal.

Account: buyer@example.com
Amount: 5000 XCR
Fee: 5 XCR
Net amount: 4995 XCR
Withdrawal address: ${payoutAddress}
Chain: 20250217
Time: 2026-11-22T11:00:00.000Z
Nonce: 000102030405060708090a0b0c0d0e0f`

const price = 3n * XCR
const groups = {
  ann: {
    id: 1,
    numbers: '1-12',
    price,
    priced: '2026-11-20T10:00:00.000Z',
    allocated: '2026-11-20T10:10:00.000Z',
    active: '2026-11-21T10:05:00.000Z',
  },
  ben: {
    id: 2,
    numbers: '13-15',
    price,
    priced: '2026-11-21T11:30:00.000Z',
    allocated: '2026-11-21T12:10:00.000Z',
    active: '2026-11-22T12:05:00.000Z',
  },
  hand: { id: 3, numbers: '16', allocated: '2026-11-21T13:00:00.000Z', active: '2026-11-22T13:00:00.000Z' },
  rule: { id: 4, numbers: '17', allocated: '2026-11-21T13:00:00.000Z', active: '2026-11-22T13:00:00.000Z' },
  unpaid: { id: 5, numbers: '18', allocated: '2026-11-22T10:00:00.000Z', active: '2026-11-23T10:00:00.000Z' },
  gift: {
    id: 6,
    numbers: '19-21',
    price: XCR,
    priced: '2026-11-23T11:00:00.000Z',
    allocated: '2026-11-23T12:00:00.000Z',
    active: '2026-11-24T11:05:00.000Z',
  },
}
const mined = (block, time) => ({ block: `${block} 7`, mined: time })
const paidA = { transfer: `${word(0xa1)} 0`, ...mined(1000, '2026-11-20T10:04:00.000Z'), amount: 36n * XCR, account: ann }
const paidB = { transfer: `${word(0xb1)} 0`, ...mined(2000, '2026-11-21T11:40:00.000Z'), amount: 6n * XCR, account: ben }
const paidB2 = { transfer: `${word(0xb2)} 0`, ...mined(2010, '2026-11-21T12:04:00.000Z'), amount: 3n * XCR, account: ben }
const dust = { transfer: `${word(0xd1)} 0`, ...mined(2020, '2026-11-21T14:00:00.000Z'), amount: 1n }
const stray = { transfer: `${word(0xc1)} 0`, ...mined(2030, '2026-11-21T15:00:00.000Z'), amount: 7n * XCR }
const paidG = { transfer: `${word(0xe1)} 1`, ...mined(4000, '2026-11-23T11:04:00.000Z'), amount: 3n * XCR, account: ben }
const counted = (paid, group, time, reason = 'matched') => deposit({ ...paid, group, time, decision: 'counted', reason })

const RATE = 2000n * XCR
const withdrawal = { wallet: undefined, net: 4995n * XCR, fee: 5n * XCR, message, recipient: payoutAddress, account: ann }

// Leaves of a day: [numbers, state, kind, account, earned]
const span = ([from, to = from], rest) => Array.from({ length: to - from + 1 }, (_, i) => [from + i, ...rest])
const SUPPLY = 300
const days = {
  '2026-11-20': [],
  '2026-11-21': span([1, 12], [1, 1, ann, 0n]),
  '2026-11-22': [
    ...span([1, 12], [2, 1, ann, RATE]),
    ...span([13, 15], [1, 1, ben, 0n]),
    [16, 1, 3, ben, 0n],
    [17, 1, 2, ann, 0n],
  ],
  '2026-11-23': [
    ...span([1, 12], [2, 1, ann, 2n * RATE]),
    ...span([13, 15], [3, 1, ben, 0n]),
    [16, 2, 3, ben, RATE],
    [17, 2, 2, ann, RATE],
    [18, 1, 1, ben, 0n],
  ],
  '2026-11-24': [
    ...span([1, 12], [2, 1, ann, 3n * RATE]),
    ...span([13, 15], [2, 1, ben, RATE]),
    [16, 2, 3, ben, 2n * RATE],
    [17, 2, 2, ann, 2n * RATE],
    [18, 2, 1, ben, RATE],
    ...span([19, 21], [1, 3, ben, 0n]),
  ],
}
const NEW_RATE = 2500n * XCR
days['2026-11-25'] = days['2026-11-24'].map(([number, , kind, account, earned]) => [
  number,
  2,
  kind,
  account,
  earned + NEW_RATE + (number >= 13 && number <= 15 ? RATE : 0n),
])

days['2026-11-26'] = days['2026-11-25'].map(([number, state, kind, account, earned]) => [
  number,
  state,
  kind,
  account,
  earned + NEW_RATE,
])

/** The leaves of each day as bytes, by number; all others are free. */
const leavesOf = (list, day) =>
  Object.fromEntries(
    list.map(([number, state, kind, account, earned]) => [
      number,
      hex(nodeLeaf(state, kind, holder(account, day, number), earned)),
    ]),
  )

const treeOf = (leaves, supply) =>
  Array.from({ length: supply }, (_, i) => (leaves[i + 1] ? Buffer.from(leaves[i + 1], 'hex') : FREE))
const sumOf = (items) => items.reduce((sum, item) => sum + item, 0n)
const earnedIn = (leaves) => sumOf(Object.values(leaves).map((leaf) => BigInt(`0x${leaf.slice(72)}`)))
const dayEntry = (day, leaves, { rate, paid, corrected = 0n, supply = SUPPLY }) => {
  const tree = treeOf(leaves, supply)
  const count = (offset, values) => values.map((value) => tree.filter((leaf) => leaf[offset] === value).length)
  const states = count(1, [0, 1, 2, 3])
  return entry('day', [
    ['day', day],
    ['due', `${day}T09:00:00.000Z`],
    ['paid', paid],
    ['rate', rate],
    ['states', states.join(' ')],
    ['kinds', count(2, [0, 1, 2, 3]).join(' ')],
    ['rewards', rate * BigInt(states[2])],
    ['corrected', corrected],
    ['earned', earnedIn(leaves)],
    ['nodes', `${supply} ${b64(root(tree.map(leafHash)))}`],
  ])
}
const booksEntry = (day, f) =>
  entry('books', [
    ['day', day],
    ['time', f.time],
    ['earned', f.earned],
    ['debts', f.debts ?? 0n],
    ['completed', `${f.net ?? 0n} ${f.fees ?? 0n}`],
    ['open', f.open ?? 0n],
    ['balances', f.earned + (f.debts ?? 0n) - (f.net ?? 0n) - (f.fees ?? 0n) - (f.open ?? 0n)],
    ['owed', f.earned + (f.debts ?? 0n) - (f.net ?? 0n) - (f.fees ?? 0n)],
    ['received', sumOf([f.counted, f.review ?? 0n, f.refunded ?? 0n, f.ignored ?? 0n, f.orphaned ?? 0n])],
    ['counted', f.counted],
    ['review', f.review ?? 0n],
    ['refunded', f.refunded ?? 0n],
    ['ignored', f.ignored ?? 0n],
    ['orphaned', f.orphaned ?? 0n],
    ['returned', f.returned ?? 0n],
    ['payment-block', f.payment],
    ['reward-block', f.reward],
    ['addresses', deposits],
    ['reserve', `${wallet}:${f.reserve ?? 1000000n * XCR}`],
  ])

const leaves = Object.fromEntries(Object.entries(days).map(([day, list]) => [day, leavesOf(list, day)]))
const texts = []
const epoch = '1970-01-01T00:00:00.000Z'
const start = '2026-11-20T08:00:00.000Z'
texts.push(
  genesis(),
  setting('supply', start, epoch, SUPPLY),
  setting('price', start, epoch, price),
  setting('rate', start, epoch, RATE),
  setting('fee', start, epoch, 5n * XCR),
  addressEntry(start, 'deposit', 56, deposits, 900),
  addressEntry(start, 'wallet', 20250217, wallet, 100, walletSignature),
  release(start),
)
const checkpoints = []
const closeBooks = (day, figures) => {
  texts.push(booksEntry(day, { earned: earnedIn(leaves[day]), ...figures }))
  checkpoints.push(texts.length)
}
// 20 November: Ann pays for 12 nodes after 09:00, so the first day has no node.
texts.push(counted(paidA, groups.ann, '2026-11-20T10:10:00.000Z'))
texts.push(dayEntry('2026-11-20', leaves['2026-11-20'], { rate: RATE, paid: '2026-11-20T10:10:01.000Z' }))
closeBooks('2026-11-20', {
  time: '2026-11-20T10:10:02.000Z',
  counted: 36n * XCR,
  payment: `990 ${word(0x90)} 2026-11-20T08:59:59.000Z`,
  reward: `190 ${word(0x91)} 2026-11-20T08:59:58.000Z`,
})
texts.push(dayEntry('2026-11-21', leaves['2026-11-21'], { rate: RATE, paid: '2026-11-21T09:00:01.000Z' }))
closeBooks('2026-11-21', {
  time: '2026-11-21T09:00:02.000Z',
  counted: 36n * XCR,
  payment: `1990 ${word(0x92)} 2026-11-21T08:59:59.000Z`,
  reward: `290 ${word(0x93)} 2026-11-21T08:59:58.000Z`,
})
// 21 November: Ben pays too little and then the rest, dust and a stray payment arrive, and nodes are granted.
texts.push(
  deposit({ ...paidB, time: '2026-11-21T11:41:00.000Z', decision: 'review', reason: 'underpaid' }),
  counted(paidB2, groups.ben, '2026-11-21T12:10:00.000Z'),
  counted(paidB, groups.ben, '2026-11-21T12:10:00.000Z'),
  grant({ time: '2026-11-21T13:00:00.000Z', cause: 'hand', group: groups.hand, account: ben }),
  grant({ time: '2026-11-21T13:00:00.000Z', cause: 'rule', group: groups.rule, account: ann }),
  deposit({ ...dust, time: '2026-11-21T14:10:00.000Z', decision: 'ignored', reason: 'dust' }),
  deposit({ ...stray, time: '2026-11-21T15:10:00.000Z', decision: 'review', reason: 'unmatched' }),
  deposit({
    ...stray,
    time: '2026-11-21T16:00:00.000Z',
    decision: 'refunded',
    reason: 'full',
    refund: `${word(0xf1)} 0`,
    returned: 7n * XCR,
  }),
  note('2026-11-21T16:30:00.000Z', 'sales-stopped'),
)
texts.push(dayEntry('2026-11-22', leaves['2026-11-22'], { rate: RATE, paid: '2026-11-22T09:00:01.000Z' }))
closeBooks('2026-11-22', {
  time: '2026-11-22T09:00:02.000Z',
  counted: 45n * XCR,
  refunded: 7n * XCR,
  ignored: 1n,
  returned: 7n * XCR,
  payment: `2990 ${word(0x94)} 2026-11-22T08:59:59.000Z`,
  reward: `390 ${word(0x95)} 2026-11-22T08:59:58.000Z`,
})
// 22 November: a purchase is confirmed without a payment, Ann withdraws, a rate is announced, one of Ben's payments vanishes.
texts.push(
  note('2026-11-22T09:30:00.000Z', 'sales-resumed'),
  grant({ time: '2026-11-22T10:00:00.000Z', cause: 'unpaid', group: groups.unpaid, account: ben }),
  payout({ ...withdrawal, time: '2026-11-22T11:00:01.000Z', state: 'accepted' }),
  setting('rate', '2026-11-22T12:00:00.000Z', '2026-11-25T00:00:00.000Z', NEW_RATE),
  deposit({
    ...paidB2,
    block: undefined,
    mined: undefined,
    group: groups.ben,
    time: '2026-11-22T12:01:00.000Z',
    decision: 'orphaned',
    reason: 'counted',
  }),
)
texts.push(dayEntry('2026-11-23', leaves['2026-11-23'], { rate: RATE, paid: '2026-11-23T09:00:01.000Z' }))
closeBooks('2026-11-23', {
  time: '2026-11-23T09:00:02.000Z',
  open: 5000n * XCR,
  counted: 42n * XCR,
  orphaned: 3n * XCR,
  refunded: 7n * XCR,
  ignored: 1n,
  returned: 7n * XCR,
  payment: `3990 ${word(0x96)} 2026-11-23T08:59:59.000Z`,
  reward: `490 ${word(0x97)} 2026-11-23T08:59:58.000Z`,
})
// 23 to 25 November: the register was late; two days in one snapshot. The payment is mined again, the withdrawal and a sweep are paid, a
// payment of a third of the price is accepted, keys change.
const sweep = { time: '2026-11-24T00:00:10.000Z', state: 'sweep', transfer: `${word(0x52)} 0`, wallet, net: 5n * XCR, fee: 0n }
texts.push(
  deposit({
    ...paidB2,
    ...mined(4100, '2026-11-23T09:20:00.000Z'),
    group: groups.ben,
    time: '2026-11-23T09:30:00.000Z',
    decision: 'counted',
    reason: 'matched',
  }),
  payout({ ...withdrawal, time: '2026-11-23T10:00:00.000Z', state: 'paid', transfer: `${word(0x51)} 0`, wallet }),
  grant({ time: '2026-11-23T12:00:00.000Z', cause: 'gift', group: groups.gift, account: ben }),
  counted(paidG, groups.gift, '2026-11-23T12:00:00.000Z', 'decision'),
  payout(sweep),
  setting('price', '2026-11-24T10:00:00.000Z', '2026-11-24T10:00:00.000Z', 4n * XCR),
  keyEntry('2026-11-24T11:00:00.000Z', 'proof', b64(accountHash({ proofKey: Buffer.alloc(32, 0x13), email: 'cy@example.com' }))),
  keyEntry('2026-11-24T12:00:00.000Z', 'receipt', receiptKey, receiptKey2),
  note('2026-11-25T09:00:02.000Z', 'caught-up', '2026-11-24', 'the signing machine was replaced'),
)
texts.push(dayEntry('2026-11-24', leaves['2026-11-24'], { rate: RATE, paid: '2026-11-24T09:00:01.000Z' }))
texts.push(correction('2026-11-23T09:31:00.000Z', '2026-11-23', 'thawed', `13-15:${RATE}`))
texts.push(
  dayEntry('2026-11-25', leaves['2026-11-25'], { rate: NEW_RATE, paid: '2026-11-25T09:00:01.000Z', corrected: 3n * RATE }),
)
closeBooks('2026-11-25', {
  time: '2026-11-25T09:00:02.500Z',
  net: 4995n * XCR,
  fees: 5n * XCR,
  counted: 48n * XCR,
  refunded: 7n * XCR,
  ignored: 1n,
  returned: 7n * XCR,
  payment: `5990 ${word(0x98)} 2026-11-25T08:59:59.000Z`,
  reward: `690 ${word(0x99)} 2026-11-25T08:59:58.000Z`,
  reserve: 994995n * XCR,
})
// 25 November: the log key changes.
texts.push(keyEntry('2026-11-25T10:00:00.000Z', 'log', logKey, logKey2))
texts.push(dayEntry('2026-11-26', leaves['2026-11-26'], { rate: NEW_RATE, paid: '2026-11-26T09:00:01.000Z' }))
closeBooks('2026-11-26', {
  time: '2026-11-26T09:00:02.000Z',
  net: 4995n * XCR,
  fees: 5n * XCR,
  counted: 48n * XCR,
  refunded: 7n * XCR,
  ignored: 1n,
  returned: 7n * XCR,
  payment: `6990 ${word(0x9a)} 2026-11-26T08:59:59.000Z`,
  reward: `790 ${word(0x9b)} 2026-11-26T08:59:58.000Z`,
  reserve: 994995n * XCR,
})
const rotated = texts.findIndex((text) => text.includes('\nuse log\n')) + 1

// What the chains show: token transfers to the deposit address and from the wallet.
const seen = ({ transfer, block }, amount) => {
  const [hash] = transfer.split(' ')
  const [number, logIndex] = block.split(' ').map(Number)
  return { hash, block: number, logIndex, amount: String(amount) }
}
const chain = {
  payment: [
    seen(paidA, paidA.amount),
    seen(paidB, paidB.amount),
    seen(dust, dust.amount),
    seen(stray, stray.amount),
    seen(paidG, paidG.amount),
    seen({ ...paidB2, block: '4100 7' }, paidB2.amount),
  ].toSorted((a, b) => a.block - b.block),
  refunds: [{ hash: word(0xf1), ordinal: 0, amount: String(7n * XCR) }],
  reward: [
    { hash: word(0x51), block: 500, wallet, amount: String(4995n * XCR) },
    { hash: word(0x52), block: 510, wallet, amount: String(5n * XCR) },
  ],
}

const hashesOf = (entries) => entries.map((text) => leafHash(utf8(text)))
const checkpointOf = (entries, size, ...keys) =>
  signNote(`${origin}\n${size}\n${b64(root(hashesOf(entries.slice(0, size))))}\n`, origin, ...keys)
const logHashes = hashesOf(texts)

// 5 Commitments, receipts, keys, files, the anchor

out.format = 'xcr-register/v1'
out.accounts = [ann, ben].map((account) => ({
  email: account.email,
  proofKey: hex(account.proofKey),
  emailHash: hex(emailHash(account.email)),
  account: b64(accountHash(account)),
}))
const paidEntry = texts.find((text) => text.startsWith('payout/') && text.includes('\nstate paid\n'))
const commitment = (account, text, extra) => {
  const { h, s } = openEntry(account, bodyOf(text))
  return {
    index: texts.indexOf(text),
    email: account.email,
    proofKey: hex(account.proofKey),
    bodyHash: hex(h),
    secret: hex(s),
    ...extra,
  }
}
out.commitments = [
  commitment(ann, texts[8]),
  commitment(
    ben,
    texts.find((text) => text.startsWith('grant/')),
  ),
  commitment(ann, paidEntry, {
    recipient: payoutAddress,
    message,
    messageHash: hex(sha(utf8(message))),
    request: requestId(message),
  }),
]
out.wallet = { privateKey: word(0x33), address: wallet, message: walletMessage, signature: walletSignature }

const receipt = (kind, lines) => `receipt/${kind}/v1\n${lines.map(([name, value]) => `${name} ${value ?? '-'}\n`).join('')}`
const receiptTexts = {
  account: receipt('account', [
    ['genesis', b64(genesisHash)],
    ['time', '2026-11-20T09:55:00.000Z'],
    ['account', b64(accountHash(ann))],
  ]),
  nodes: receipt('nodes', [
    ['genesis', b64(genesisHash)],
    ['time', '2026-11-20T10:10:00.000Z'],
    ['account', b64(accountHash(ann))],
    ['cause', 'deposit'],
    ['numbers', '1-12'],
    ['active', '2026-11-21T10:05:00.000Z'],
    ['price', price],
    ['transfers', `${word(0xa1)} 0`],
    ['by', '2026-11-22'],
  ]),
  grant: receipt('nodes', [
    ['genesis', b64(genesisHash)],
    ['time', '2026-11-21T13:00:00.000Z'],
    ['account', b64(accountHash(ann))],
    ['cause', 'grant'],
    ['numbers', '17'],
    ['active', '2026-11-22T13:00:00.000Z'],
    ['price'],
    ['transfers'],
    ['by', '2026-11-23'],
  ]),
  two: receipt('nodes', [
    ['genesis', b64(genesisHash)],
    ['time', '2026-11-21T12:10:00.000Z'],
    ['account', b64(accountHash(ben))],
    ['cause', 'deposit'],
    ['numbers', '13-15'],
    ['active', '2026-11-22T12:05:00.000Z'],
    ['price', price],
    ['transfers', `${word(0xb1)} 0,${word(0xb2)} 0`],
    ['by', '2026-11-23'],
  ]),
  hand: receipt('nodes', [
    ['genesis', b64(genesisHash)],
    ['time', '2026-11-21T13:00:00.000Z'],
    ['account', b64(accountHash(ben))],
    ['cause', 'grant'],
    ['numbers', '16'],
    ['active', '2026-11-22T13:00:00.000Z'],
    ['price'],
    ['transfers'],
    ['by', '2026-11-23'],
  ]),
  unpaid: receipt('nodes', [
    ['genesis', b64(genesisHash)],
    ['time', '2026-11-22T10:00:00.000Z'],
    ['account', b64(accountHash(ben))],
    ['cause', 'unpaid'],
    ['numbers', '18'],
    ['active', '2026-11-23T10:00:00.000Z'],
    ['price', price],
    ['transfers'],
    ['by', '2026-11-24'],
  ]),
  gift: receipt('nodes', [
    ['genesis', b64(genesisHash)],
    ['time', '2026-11-23T12:00:00.000Z'],
    ['account', b64(accountHash(ben))],
    ['cause', 'deposit'],
    ['numbers', '19-21'],
    ['active', '2026-11-24T11:05:00.000Z'],
    ['price', XCR],
    ['transfers', `${word(0xe1)} 1`],
    ['by', '2026-11-25'],
  ]),
  withdrawal: receipt('withdrawal', [
    ['genesis', b64(genesisHash)],
    ['time', '2026-11-22T11:00:01.000Z'],
    ['account', b64(accountHash(ann))],
    ['net', 4995n * XCR],
    ['fee', 5n * XCR],
    ['recipient', payoutAddress],
    ['message', b64(sha(utf8(message)))],
    ['by', '2026-11-24'],
  ]),
}
out.receipts = {
  vkey: vkey(receiptName, receiptKey),
  notes: Object.fromEntries(Object.entries(receiptTexts).map(([name, text]) => [name, signNote(text, receiptName, receiptKey)])),
}
const goodNote = out.receipts.notes.nodes
const altered = (from, to) => goodNote.replace(from, to)
out.receipts.refused = [
  ['a changed line', altered('numbers 1-12', 'numbers 1-13'), 'signature'],
  ['the key of checkpoints', signNote(receiptTexts.nodes, origin, logKey), 'signature'],
  ['signed with the log key under the name of receipts', signNote(receiptTexts.nodes, receiptName, logKey), 'signature'],
  ['no signature', `${receiptTexts.nodes}\n`, 'form'],
  ['a hyphen in place of the dash', altered('—', '-'), 'form'],
  ['CRLF', altered('\n', '\r\n'), 'form'],
  ['a line too many', signNote(`${receiptTexts.nodes}memo hello\n`, receiptName, receiptKey), 'form'],
  ['a line missing', signNote(receiptTexts.nodes.replace(/price .*\n/, ''), receiptName, receiptKey), 'form'],
  [
    'lines in another order',
    signNote(receiptTexts.account.replace(/(time .*\n)(account .*\n)/, '$2$1'), receiptName, receiptKey),
    'form',
  ],
  ['an unknown kind', signNote(receiptTexts.account.replace('account/v1', 'accounts/v1'), receiptName, receiptKey), 'form'],
  [
    'a promise more than 48 hours ahead',
    signNote(receiptTexts.nodes.replace('by 2026-11-22', 'by 2026-11-23'), receiptName, receiptKey),
    'form',
  ],
  [
    'transfers out of order',
    signNote(receiptTexts.two.replace(/transfers (.*),(.*)\n/, 'transfers $2,$1\n'), receiptName, receiptKey),
    'form',
  ],
  ['a grant with a price', signNote(receiptTexts.grant.replace('price -', 'price 0'), receiptName, receiptKey), 'form'],
].map(([why, note, because]) => ({ why, note, because }))

const goodCheckpoint = checkpointOf(texts, 8, logKey)
out.checkpoints = {
  refused: [
    ['another origin', goodCheckpoint.replaceAll(origin, 'nodes.example.org/register'), 'form'],
    [
      'another origin under the name of this log',
      signNote(`nodes.example.org/register\n8\n${b64(root(logHashes.slice(0, 8)))}\n`, origin, logKey),
      'form',
    ],
    ['another size', goodCheckpoint.replace('\n8\n', '\n9\n'), 'signature'],
    ['a leading zero', goodCheckpoint.replace('\n8\n', '\n08\n'), 'form'],
    ['an extension line', signNote(`${origin}\n8\n${b64(root(logHashes.slice(0, 8)))}\nextension\n`, origin, logKey), 'form'],
    ['a root in base64url', signNote(`${origin}\n8\n${'-'.repeat(43)}=\n`, origin, logKey), 'form'],
    ['a root of 31 bytes', signNote(`${origin}\n8\n${b64(Buffer.alloc(31))}\n`, origin, logKey), 'form'],
    ['an unused bit set in the root', signNote(`${origin}\n8\n${'A'.repeat(42)}B=\n`, origin, logKey), 'form'],
    ['only an unknown key', signNote(`${origin}\n8\n${b64(root(logHashes.slice(0, 8)))}\n`, origin, keyOf(0x77)), 'signature'],
    ['a cut signature', `${goodCheckpoint.slice(0, -6)}\n`, 'form'],
    ['bytes after the signatures', `${goodCheckpoint}\n`, 'form'],
  ].map(([why, note, because]) => ({ why, note, because })),
  witnessed: `${goodCheckpoint.slice(0, goodCheckpoint.indexOf('— '))}— witness.example.org ${b64(Buffer.alloc(76, 9))}\n${goodCheckpoint.slice(goodCheckpoint.indexOf('— '))}`,
  empty: signNote(`${origin}\n0\n${b64(root([]))}\n`, origin, logKey),
}

// A day of 300 numbers whose leaves are all different: number n is active, paid, C = SHA-256(u32 n), earned n.
const wide = Array.from({ length: 300 }, (_, i) => nodeLeaf(2, 1, sha(u32(i + 1)), BigInt(i + 1)))
const wideHashes = wide.map(leafHash)
out.dayFile = {
  rule: 'leaf of number n: state 2, kind 1, C = SHA-256(u32 n), earned n',
  supply: 300,
  fileHash: hex(sha(...wide)),
  blockHashes: blocks(wideHashes).map((block) => hex(root(block))),
  root: b64(root(wideHashes)),
  inclusion_0: inclusion(0, wideHashes).map(hex),
  inclusion_255: inclusion(255, wideHashes).map(hex),
  inclusion_256: inclusion(256, wideHashes).map(hex),
  inclusion_299: inclusion(299, wideHashes).map(hex),
}
out.refusedLeaves = [
  ['version 2', `02${hex(wide[0]).slice(2)}`],
  ['state 4', hex(nodeLeaf(4, 1, sha(u32(1)), 1n))],
  ['kind 4', hex(nodeLeaf(2, 4, sha(u32(1)), 1n))],
  ['the reserved byte is not zero', `01020101${hex(wide[0]).slice(8)}`],
  ['free with a kind', hex(nodeLeaf(0, 1, Buffer.alloc(32), 0n))],
  ['free with a commitment', hex(nodeLeaf(0, 0, sha(), 0n))],
  ['free with earnings', hex(nodeLeaf(0, 0, Buffer.alloc(32), 1n))],
  ['owned without a kind', hex(nodeLeaf(2, 0, sha(u32(1)), 1n))],
  ['owned without a commitment', hex(nodeLeaf(2, 1, Buffer.alloc(32), 1n))],
  ['51 bytes', hex(wide[0]).slice(2)],
  ['53 bytes', `${hex(wide[0])}00`],
].map(([why, leaf]) => ({ why, leaf }))

const abiWord = (value) => BigInt(value).toString(16).padStart(64, '0')
const anchors = checkpoints.map((size, i) => ({
  size,
  time: Math.floor(Date.parse(texts[size - 1].match(/^time (.*)$/m)[1]) / 1000) + 30 + i,
  root: hex(root(logHashes.slice(0, size))),
}))
out.anchor = {
  publisher: '0x8c72c54e',
  count: '0x06661abd',
  since: `0xa570b829${abiWord(0)}`,
  anchor: `0xa6855208${abiWord(anchors[0].size)}${anchors[0].root}`,
  event: '0x2bff6e9ed2c4a2715ce732957a6d1ae60a13ff6f9a3bc0735b328233fb195254',
  answer: `0x${abiWord(32)}${abiWord(anchors.length)}${anchors.map(({ size, time, root }) => abiWord(size) + abiWord(time) + root).join('')}`,
  anchors,
}

out.log = {
  supply: SUPPLY,
  entries: texts,
  hashes: logHashes.map(hex),
  root: b64(root(logHashes)),
  file: `${texts.map((text) => `${text}\n`).join('')}`,
  snapshots: checkpoints,
  checkpoints: [...checkpoints, rotated]
    .toSorted((a, b) => a - b)
    .map((size) => ({
      size,
      note: checkpointOf(texts, size, ...(size < rotated ? [logKey] : size === rotated ? [logKey2, logKey] : [logKey2])),
    })),
  keys: [vkey(origin, logKey2), vkey(receiptName, receiptKey2)].map((key) => `${key}\n`).join(''),
  leaves,
  dayHashes: Object.fromEntries(
    Object.entries(leaves).map(([day, ofDay]) => [
      day,
      blocks(treeOf(ofDay, SUPPLY).map(leafHash)).map((block) => hex(root(block))),
    ]),
  ),
  inclusion: [0, 8, 20, texts.length - 1].map((index) => ({
    index,
    size: texts.length,
    path: inclusion(index, logHashes).map(hex),
  })),
  consistency: checkpoints.map((size) => ({ from: size, to: texts.length, path: consistency(size, logHashes).map(hex) })),
  chain,
  holders: [
    {
      account: ann,
      numbers: '1-12,17',
      receipts: ['account', 'nodes', 'grant', 'withdrawal'],
      transfers: [paidA.transfer],
      withdrawals: [{ recipient: payoutAddress, message }],
    },
    {
      account: ben,
      numbers: '13-16,18-21',
      receipts: ['two', 'hand', 'unpaid', 'gift'],
      transfers: [paidB.transfer, paidB2.transfer, paidG.transfer],
      withdrawals: [],
    },
  ].map(({ account, ...holding }) => {
    const day = '2026-11-26'
    const earned = sumOf(days[day].filter((leaf) => leaf[3] === account).map((leaf) => leaf[4]))
    const withdrawn = account === ann ? 5000n * XCR : 0n
    return {
      email: account.email,
      proofKey: hex(account.proofKey),
      day,
      earned: String(earned),
      balance: String(earned - withdrawn),
      debt: '0',
      ...holding,
    }
  }),
}

// 6 Every entry kind once more, in forms that the log does not have

out.entries = [
  ['a demo without an anchor', genesis({ clock: 'demo', anchor: undefined })],
  ['a payment without an account', deposit({ ...stray, time: start, decision: 'review', reason: 'unmatched' })],
  ['a payment ignored by decision', deposit({ ...stray, time: start, decision: 'ignored', reason: 'decision' })],
  ['a vanished payment', deposit({ ...stray, block: undefined, mined: undefined, time: start, decision: 'vanished' })],
  [
    'a refunded payment that vanished',
    deposit({
      ...stray,
      block: undefined,
      mined: undefined,
      time: start,
      decision: 'orphaned',
      reason: 'refunded',
      refund: `${word(0xf1)} 0`,
      returned: 7n * XCR,
    }),
  ],
  ['a payment for nodes confirmed before it', counted({ ...stray, account: ann }, groups.ann, start, 'owed')],
  [
    'a partial refund',
    deposit({ ...stray, time: start, decision: 'refunded', reason: 'partial', refund: `${word(0xf1)} 2`, returned: 5n * XCR }),
  ],
  ['a refunded withdrawal', payout({ ...withdrawal, time: start, state: 'refunded' })],
  ['a withdrawal paid from elsewhere', payout({ ...withdrawal, time: start, state: 'elsewhere', transfer: `${word(0x53)} 1` })],
  [
    'a payment booked after a restore',
    payout({ ...withdrawal, time: start, state: 'booked', transfer: `${word(0x54)} 0`, wallet, message: undefined }),
  ],
  ['a foreign transfer', payout({ ...sweep, state: 'foreign', transfer: `${word(0x55)} 0`, net: 12n })],
  ['an added anchor', addressEntry(start, 'anchor', 56, '0x0000000000000000000000000000000000000a08', 0)],
  [
    'books before the chains were read',
    booksEntry('2026-11-20', { time: start, earned: 0n, counted: 0n, payment: undefined, reward: undefined }),
  ],
  ['a held equation', note(start, 'held', 'E5', 'the balances are 1 unit higher than the rewards')],
  ['a wrong entry', note(start, 'wrong', '17', 'replaced by the entry after this one')],
  ['a message', note(start, 'message', undefined, 'The register moves to another machine on Sunday.')],
  ['a rate of zero', setting('rate', start, start, 0n)],
  ['the largest amount', setting('fee', start, start, (1n << 128n) - 1n)],
  ['an error corrected', correction(start, '2026-11-22', 'error', `1-3:${RATE},7:1`)],
].map(([what, text]) => ({ what, text, hash: hex(leafHash(utf8(text))) }))

const [aDeposit, aDay, aBooks] = [texts[8], texts[9], texts[10]]
const aPayout = paidEntry
const aGrant = texts.find((text) => text.startsWith('grant/'))
const aCorrection = texts.find((text) => text.startsWith('correction/'))
const aRate = texts[3]
const aNote = note(start, 'message', undefined, 'hello')
/** Keys for which one signature fits many texts: points of small order, by their y in hex, the least significant byte first. */
const smallOrder = [
  `00${'00'.repeat(31)}`,
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]
const withSign = (point) => point.slice(0, -2) + (Number.parseInt(point.slice(-2), 16) | 0x80).toString(16)
const withKey = (name, point) => texts[0].replace(new RegExp(`${name} .*`), `${name} ${b64(Buffer.from(`01${point}`, 'hex'))}`)
out.refused = [
  ...smallOrder.map((point, index) => [`log key ${index} of small order`, withKey('log-key', point)]),
  ...smallOrder.map((point, index) => [
    `receipt key ${index} of small order, with the sign of x`,
    withKey('receipt-key', withSign(point)),
  ]),
  ['nothing', ''],
  ['an unknown kind', aRate.replace('rate/v1', 'rates/v1')],
  ['an unknown version', aRate.replace('rate/v1', 'rate/v2')],
  ['no line feed at the end', aRate.slice(0, -1)],
  ['an empty line at the end', `${aRate}\n`],
  ['an empty line inside', aRate.replace('\nfrom', '\n\nfrom')],
  ['CRLF', aRate.replaceAll('\n', '\r\n')],
  ['a byte order mark', `\uFEFF${aRate}`],
  ['two spaces', aRate.replace('time ', 'time  ')],
  ['a space at the end of a line', aRate.replace('.000Z\n', '.000Z \n')],
  ['a tab', aRate.replace('time ', 'time\t')],
  ['a line missing', aRate.replace(/from .*\n/, '')],
  ['a line twice', aRate.replace(/(from .*\n)/, '$1$1')],
  ['a line too many', `${aRate}memo x\n`],
  ['lines in another order', aRate.replace(/(time .*\n)(from .*\n)/, '$2$1')],
  ['an upper case name', aRate.replace('from', 'From')],
  ['nothing where a value is required', aRate.replace(/rate \d+/, 'rate -')],
  ['an amount with a leading zero', aRate.replace(/rate (\d+)/, 'rate 0$1')],
  ['an amount with a sign', aRate.replace(/rate (\d+)/, 'rate +$1')],
  ['a negative amount', aRate.replace(/rate (\d+)/, 'rate -$1')],
  ['an amount with a fraction', aRate.replace(/rate (\d+)/, 'rate $1.0')],
  ['an amount in full-width digits', aRate.replace(/rate \d+/, 'rate \uFF11')],
  ['an amount of 2^128', aRate.replace(/rate \d+/, `rate ${1n << 128n}`)],
  ['a time without milliseconds', aRate.replace('.000Z', 'Z')],
  ['a time with an offset', aRate.replace('.000Z', '.000+00:00')],
  ['30 February', aRate.replace(/time \S+/, 'time 2026-02-30T00:00:00.000Z')],
  ['hour 24', aRate.replace(/time \S+/, 'time 2026-02-20T24:00:00.000Z')],
  ['a leap second', aRate.replace(/time \S+/, 'time 2016-12-31T23:59:60.000Z')],
  ['the year 1969', aRate.replace(/time \S+/, 'time 1969-12-31T23:59:59.999Z')],
  ['a day without zeros', aDay.replace('day 2026-11-20', 'day 2026-11-2')],
  ['three states', aDay.replace(/states (\S+ \S+ \S+) \S+/, 'states $1')],
  ['a root in hex', aDay.replace(/nodes (\d+) .*/, `nodes $1 ${'00'.repeat(32)}`)],
  ['a root without padding', aDay.replace(/(nodes .*)=\n/, '$1\n')],
  ['an unused bit set in a root', aDay.replace(/nodes (\d+) .*/, `nodes $1 ${'A'.repeat(42)}B=`)],
  ['addresses out of order', aBooks.replace(/addresses (.*)/, `addresses ${wallet},$1`)],
  ['an address in checksum case', aBooks.replace(/addresses .*/, 'addresses 0x55d398326f99059fF775485246999027B3197955')],
  ['an address twice', aBooks.replace(/addresses (.*)/, 'addresses $1,$1')],
  ['a transaction in upper case', aDeposit.replace(`${word(0xa1)}`, `0x${'A1'.repeat(32)}`)],
  ['an unknown decision', aDeposit.replace('decision counted', 'decision paid')],
  ['a reason of another decision', aDeposit.replace('reason matched', 'reason underpaid')],
  ['counted without a group', aDeposit.replace(/group .*/, 'group -')],
  ['counted without numbers', aDeposit.replace(/numbers .*/, 'numbers -')],
  ['counted with a refund', aDeposit.replace('refund -', `refund ${word(1)} 0`)],
  ['counted without a block', aDeposit.replace(/block .*/, 'block -')],
  ['in review with a group', aDeposit.replace('decision counted\nreason matched', 'decision review\nreason late')],
  ['orphaned with a block', aDeposit.replace('decision counted\nreason matched', 'decision orphaned\nreason counted')],
  ['numbers out of order', aDeposit.replace('numbers 1-12', 'numbers 5,1')],
  ['numbers not merged', aDeposit.replace('numbers 1-12', 'numbers 1,2')],
  ['ranges that touch', aDeposit.replace('numbers 1-12', 'numbers 1-5,6-12')],
  ['a range of one', aDeposit.replace('numbers 1-12', 'numbers 1-1')],
  ['a range that falls', aDeposit.replace('numbers 1-12', 'numbers 12-1')],
  ['number 0', aDeposit.replace('numbers 1-12', 'numbers 0-12')],
  ['a number above the limit', aDeposit.replace('numbers 1-12', 'numbers 1000001')],
  ['group 0', aDeposit.replace('group 1\n', 'group 0\n')],
  ['active before its allocation', aDeposit.replace(/active .*/, 'active 2026-11-20T10:09:59.999Z')],
  ['active more than 24 hours after its allocation', aDeposit.replace(/active .*/, 'active 2026-11-21T10:10:00.001Z')],
  ['a refund of more than the payment', out.entries[6].text.replace(/returned .*/, `returned ${8n * XCR}`)],
  ['a partial refund of everything', out.entries[6].text.replace(/returned .*/, `returned ${7n * XCR}`)],
  ['a refund of nothing', out.entries[6].text.replace(/returned .*/, 'returned 0')],
  ['a commitment of 31 bytes', aDeposit.replace(/owner .*/, `owner ${b64(Buffer.alloc(31, 1))}`)],
  ['paid without a transfer', aPayout.replace(/transfer .*/, 'transfer -')],
  ['paid without a wallet', aPayout.replace(/wallet .*/, 'wallet -')],
  ['paid without a request', aPayout.replace(/request .*/, 'request -')],
  ['paid without an owner', aPayout.replace(/owner .*/, 'owner -')],
  ['accepted with a transfer', aPayout.replace('state paid', 'state accepted')],
  ['a sweep with a fee', payout({ ...sweep, fee: 1n })],
  ['a payout of nothing', aPayout.replace(/net .*/, 'net 0')],
  ['a grant without an owner', aGrant.replace(/owner .*/, 'owner -')],
  ['a grant of an unknown cause', aGrant.replace('cause hand', 'cause gifts')],
  ['a correction of nothing', aCorrection.replace(/credits .*/, 'credits 13-15:0')],
  ['a correction that debits', aCorrection.replace(/credits .*/, 'credits 13-15:-1')],
  ['credits that touch with one amount', aCorrection.replace(/credits .*/, 'credits 13:1,14-15:1')],
  ['credits that overlap', aCorrection.replace(/credits .*/, 'credits 13-15:1,15:2')],
  ['a note of an unknown topic', aNote.replace('message', 'rumor')],
  ['a note in another script', aNote.replace('hello', '\uC548\uB155')],
  ['a note with a trailing space', aNote.replace('hello', 'hello ')],
  ['a note that is a dash and a space', aNote.replace('hello', '- ')],
  ['a note of 201 characters', aNote.replace('hello', 'x'.repeat(201))],
  ['a held equation that does not exist', out.entries[13].text.replace('subject E5', 'subject E9')],
  ['a key that stays the same', keyEntry(start, 'log', logKey, logKey)],
  ['a key of another algorithm', keyEntry(start, 'log', logKey, { text: b64(Buffer.concat([Buffer.from([2]), logKey2.pub])) })],
  ['a proof key with a successor', keyEntry(start, 'proof', b64(accountHash(ann)), logKey)],
  ['an origin with a plus', genesis().replaceAll(origin, 'nodes+x.example.com/register')],
  ['an origin with another path', genesis().replaceAll(origin, 'nodes.example.com/log')],
  ['another clock', genesis().replace('clock real', 'clock fast')],
  ['a wallet without a proof', addressEntry(start, 'wallet', 20250217, wallet, 100)],
  ['a deposit address with a proof', addressEntry(start, 'deposit', 56, deposits, 900, walletSignature)],
  ['supply 0', texts[1].replace(/supply \d+/, 'supply 0')],
  ['supply above the limit', texts[1].replace(/supply \d+/, 'supply 1000001')],
  ['price 0', texts[2].replace(/price \d+/, 'price 0')],
  ['an entry above the limit', `${aRate.slice(0, -1)}${'0'.repeat(65536)}\n`],
].map(([why, text]) => ({ why, text }))

// 7 Lies: changes of the example log after which the named tick must fail. Roots and, unless `plain`, the sums that follow from changed
// leaves are made to fit, as a dishonest server would.

const lineOf = (text, name) => text.match(new RegExp(`^${name} (.*)$`, 'm'))[1]
const lies = []
function lie(what, tick, change, { plain = false, raw = false, into = lies, rest = {} } = {}) {
  const copy = { entries: [...texts], leaves: structuredClone(leaves), chain: structuredClone(chain) }
  const at = (test) => {
    const index = copy.entries.findIndex((text) => (typeof test === 'string' ? text.includes(test) : test(text)))
    if (index < 0) throw new Error(`${what}: no such entry`)
    return index
  }
  const set = (test, name, value) => {
    const index = at(test)
    const before = copy.entries[index]
    copy.entries[index] = before.replace(new RegExp(`^${name} .*$`, 'm'), `${name} ${value}`)
    if (copy.entries[index] === before) throw new Error(`${what}: nothing changed`)
  }
  const leaf = (day, number, patch) => {
    const bytes = Buffer.from(copy.leaves[day][number], 'hex')
    copy.leaves[day][number] = hex(
      nodeLeaf(
        patch.state ?? bytes[1],
        patch.kind ?? bytes[2],
        patch.c ?? bytes.subarray(4, 36),
        patch.earned ?? BigInt(`0x${hex(bytes.subarray(36))}`) + (patch.more ?? 0n),
      ),
    )
  }
  change({ ...copy, at, set, leaf })
  for (const [index, text] of copy.entries.entries()) {
    if (raw || !text.startsWith('day/')) continue
    const day = lineOf(text, 'day')
    const size = Number(lineOf(text, 'nodes').split(' ')[0])
    const facts = {
      rate: BigInt(lineOf(text, 'rate')),
      paid: lineOf(text, 'paid'),
      corrected: BigInt(lineOf(text, 'corrected')),
      supply: size,
    }
    const fitting = dayEntry(day, copy.leaves[day], facts)
    copy.entries[index] = plain ? text.replace(/^nodes .*$/m, `nodes ${lineOf(fitting, 'nodes')}`) : fitting
  }
  const patch = { what, tick, ...rest }
  if (copy.entries.length === texts.length) {
    patch.entries = Object.fromEntries(copy.entries.flatMap((text, index) => (text === texts[index] ? [] : [[index, text]])))
  } else patch.allEntries = copy.entries.map((text) => (texts.includes(text) ? texts.indexOf(text) : text))
  patch.leaves = Object.fromEntries(
    Object.entries(copy.leaves).flatMap(([day, ofDay]) => {
      const changed = Object.fromEntries(
        [...new Set([...Object.keys(ofDay), ...Object.keys(leaves[day])])].flatMap((number) =>
          ofDay[number] === leaves[day][number] ? [] : [[number, ofDay[number] ?? null]],
        ),
      )
      return Object.keys(changed).length > 0 ? [[day, changed]] : []
    }),
  )
  if (JSON.stringify(copy.chain) !== JSON.stringify(chain)) patch.chain = copy.chain
  into.push(patch)
}
const last = '2026-11-26'
const since = (day) => Object.keys(days).filter((one) => one >= day)
const dayAt = (day) => `day/v1\nday ${day}\n`
const booksAt = (day) => `books/v1\nday ${day}\n`
const transferAt = (paid, decision) => (text) =>
  text.startsWith('deposit/') && text.includes(`transfer ${paid.transfer}\n`) && text.includes(`decision ${decision}\n`)

lie('a node is left out', 'E2', ({ leaves }) => {
  for (const day of since('2026-11-22')) delete leaves[day][17]
})
lie('a node goes back to free', 'E8', ({ leaves }) => {
  delete leaves[last][18]
})
lie('a reward is skipped for one node', 'E4', ({ leaf }) => leaf(last, 5, { more: -NEW_RATE }))
lie('a reward is one unit short', 'E4', ({ leaf }) => leaf(last, 5, { more: -1n }))
lie('a day is paid twice', 'E4', ({ leaves, leaf }) =>
  Object.keys(leaves[last]).forEach((number) => leaf(last, number, { more: NEW_RATE })),
)
lie('a waiting node earns', 'E4', ({ leaf }) => leaf('2026-11-24', 20, { more: RATE }))
lie('activation a day late', 'E8', ({ leaf }) => leaf('2026-11-22', 4, { state: 1, earned: 0n }))
lie('activation a day early', 'E8', ({ leaf }) => leaf('2026-11-21', 4, { state: 2, earned: RATE }))
lie('frozen without an orphan', 'E8', ({ leaf }) => leaf('2026-11-24', 2, { state: 3, more: -RATE }))
lie('frozen after its payment returned', 'E8', ({ leaf }) => leaf('2026-11-24', 13, { state: 3, more: -RATE }))
lie('a paid node without a deposit', 'E2', ({ leaves }) => {
  leaves[last][22] = hex(nodeLeaf(1, 1, holder(ben, last, 22), 0n))
})
lie('a granted node shown as paid', 'E2', ({ leaf }) => since('2026-11-22').forEach((day) => leaf(day, 16, { kind: 1 })))
lie('a kind changes', 'E8', ({ leaf }) => leaf(last, 16, { kind: 2 }))
lie('3 units of USDT matched as 12 nodes', 'E2', ({ set }) => set(transferAt(paidA, 'counted'), 'amount', '3'))
lie('a third of the price accepted without calling it a gift', 'E2', ({ entries, at, leaf }) => {
  entries.splice(at('cause gift'), 1)
  for (const day of since('2026-11-24')) for (const number of [19, 20, 21]) leaf(day, number, { kind: 1 })
})
lie('a number in two groups', 'E2', ({ set }) => set('cause rule', 'numbers', '12'))
lie('a group with other numbers in another entry', 'E2', ({ set }) => set(transferAt(paidB2, 'orphaned'), 'numbers', '13-14'))
lie('bonus beyond the rule', 'E3', ({ set, leaf }) => {
  set('cause hand', 'cause', 'rule')
  for (const day of since('2026-11-22')) leaf(day, 16, { kind: 2 })
})
lie(
  'earned one unit more than the leaves',
  'E1',
  ({ set, entries, at }) => {
    const text = entries[at(dayAt(last))]
    set(dayAt(last), 'earned', BigInt(lineOf(text, 'earned')) + 1n)
  },
  { plain: true },
)
lie('a state miscounted', 'E1', ({ set }) => set(dayAt(last), 'states', '279 1 20 0'), { plain: true })
lie('owed one unit less', 'E5', ({ set, entries, at }) =>
  set(booksAt(last), 'owed', BigInt(lineOf(entries[at(booksAt(last))], 'owed')) - 1n),
)
lie('balances one unit less', 'E5', ({ set, entries, at }) => {
  const text = entries[at(booksAt(last))]
  set(booksAt(last), 'owed', BigInt(lineOf(text, 'owed')) - 1n)
  set(booksAt(last), 'balances', BigInt(lineOf(text, 'balances')) - 1n)
})
lie('an open withdrawal left out of the books', 'E5', ({ set, entries, at }) => {
  const text = entries[at(booksAt('2026-11-23'))]
  set(booksAt('2026-11-23'), 'open', '0')
  set(booksAt('2026-11-23'), 'balances', lineOf(text, 'owed'))
})
lie('a correction that nobody was credited', 'E4', ({ set }) => set(dayAt('2026-11-25'), 'corrected', '0'), { plain: true })
lie('a correction twice', 'E4', ({ entries, at }) => entries.splice(at('correction/v1'), 0, aCorrection))
lie('a correction for a node that was not frozen', 'E4', ({ set, leaf }) => {
  set('correction/v1', 'credits', `12-14:${RATE}`)
  for (const day of since('2026-11-25')) {
    leaf(day, 12, { more: RATE })
    leaf(day, 15, { more: -RATE })
  }
})
const raise = ({ set, entries, at }, day, amount) => {
  for (const name of ['earned', 'balances', 'owed'])
    set(booksAt(day), name, BigInt(lineOf(entries[at(booksAt(day))], name)) + amount)
}
const lower = (log, amount) => {
  for (const day of ['2026-11-25', '2026-11-26']) raise(log, day, -amount)
}
lie('no correction after a payment returned', 'E4', (log) => {
  log.entries.splice(log.at('correction/v1'), 1)
  log.set(dayAt('2026-11-25'), 'corrected', '0')
  for (const day of since('2026-11-25')) for (const number of [13, 14, 15]) log.leaf(day, number, { more: -RATE })
  lower(log, 3n * RATE)
})
lie('a rate lowered for a day', 'E4', (log) => {
  log.set(dayAt('2026-11-24'), 'rate', RATE / 2n)
  for (const day of since('2026-11-24'))
    for (const number of Object.keys(leaves[day])) if (Number(number) < 19) log.leaf(day, number, { more: -RATE / 2n })
  lower(log, 18n * (RATE / 2n))
})
lie('a rate changed without notice', 'notice', ({ entries, at }) => {
  const index = at('from 2026-11-25')
  const [text] = entries.splice(index, 1)
  entries.splice(at(dayAt('2026-11-24')), 0, text)
})
lie('a rate put before a day that is paid', 'entries', ({ set }) => set('from 2026-11-25', 'from', '2026-11-22T08:00:00.000Z'))
lie('a price back-dated', 'entries', ({ set }) =>
  set((text) => text.startsWith('price/') && text.includes('4000'), 'from', '2026-11-21T00:00:00.000Z'),
)
lie('a price that was not in force', 'E2', ({ set }) =>
  set((text) => text.startsWith('deposit/') && text.includes('group 1\n'), 'price', String(2n * XCR)),
)
lie('a deposit hidden', 'E6', ({ chain }) =>
  chain.payment.push({ hash: word(0xa9), block: 2500, logIndex: 1, amount: String(9n * XCR) }),
)
lie('a deposit that is not on the chain', 'E6', ({ chain }) => chain.payment.shift())
lie('a deposit of another amount', 'E6', ({ chain }) => {
  chain.payment[0].amount = '1'
})
lie('a large payment ignored as dust', 'E2', ({ set }) => set(transferAt(dust, 'ignored'), 'amount', String(9n * XCR)))
lie('a refund of 1 unit', 'E2', ({ set }) => {
  set(transferAt(stray, 'refunded'), 'reason', 'partial')
  set(transferAt(stray, 'refunded'), 'returned', '1')
})
lie('a refund that is not on the chain', 'E6', ({ chain }) => chain.refunds.pop())
lie('USDT received do not add up', 'E2', ({ set }) => set(booksAt(last), 'review', '1'))
lie('a payout that is not published', 'E6', ({ chain }) =>
  chain.reward.push({ hash: word(0x59), block: 520, wallet, amount: String(1000n * XCR) }),
)
lie('a payout of another amount', 'E6', ({ chain }) => {
  chain.reward[0].amount = '1'
})
lie('a payout that is not on the chain', 'E6', ({ chain }) => chain.reward.shift())
lie('a payout from a wallet that is not named', 'E6', ({ set, chain }) => {
  set('state paid', 'wallet', payoutAddress)
  chain.reward[0].wallet = payoutAddress
})
lie('a deposit address left out', 'E6', ({ set }) => set(booksAt(last), 'addresses', wallet))
lie('a day skipped', 'days', ({ entries, at, leaves }) => {
  entries.splice(at(dayAt('2026-11-24')), 1)
  delete leaves['2026-11-24']
})
lie('a day twice', 'days', ({ entries, at }) => entries.splice(at(dayAt('2026-11-24')), 0, entries[at(dayAt('2026-11-24'))]))
lie('a day paid late and not announced', 'days', ({ set }) => {
  set(dayAt('2026-11-22'), 'paid', '2026-11-23T09:00:01.500Z')
  set(booksAt('2026-11-22'), 'time', '2026-11-23T09:00:01.600Z')
})
lie('books of a day that is not the last', 'days', ({ set }) => set(booksAt(last), 'day', '2026-11-24'))
lie('another rate of a fee', 'E5', ({ set }) => {
  set((text) => text.includes('state paid'), 'fee', String(6n * XCR))
  set((text) => text.includes('state paid'), 'net', String(4994n * XCR))
})
lie('a completed payout turns into a refund', 'entries', ({ entries, at }) =>
  entries.splice(at(dayAt('2026-11-24')), 0, payout({ ...withdrawal, time: '2026-11-24T12:30:00.000Z', state: 'refunded' })),
)
lie('a group number out of turn', 'entries', ({ set }) => set('cause unpaid', 'group', '9'))
lie('a second genesis', 'entries', ({ entries }) => entries.push(genesis({ time: '2026-11-26T09:30:00.000Z' })))
lie('an entry twice', 'entries', ({ entries, at }) =>
  entries.splice(at('topic sales-resumed'), 0, entries[at('topic sales-resumed')]),
)
lie('a fact dated after the books that contain it', 'entries', ({ set }) =>
  set('cause unpaid', 'time', '2026-11-23T10:00:00.000Z'),
)
lie('a deposit address that hid earlier payments', 'entries', ({ entries, at, set }) => {
  entries.splice(at(dayAt(last)), 0, addressEntry('2026-11-25T12:00:00.000Z', 'deposit', 56, payoutAddress, 950))
  set(booksAt(last), 'addresses', [deposits, payoutAddress].toSorted().join())
})
lie('a transfer that pays twice', 'entries', ({ entries, at }) =>
  entries.splice(at(dayAt(last)), 0, payout({ ...sweep, time: '2026-11-25T12:00:00.000Z', transfer: `${word(0x51)} 0` })),
)
lie('a rotation signed by another key', 'signature', ({ set }) => set('use log', 'proof', b64(Buffer.alloc(64, 1))), {
  rest: { needsSignatures: true },
})
lie('a rotation of a key that was not in force', 'signature', ({ set }) => set('use receipt', 'old', keyOf(0x77).text))
lie('a day due at another time', 'days', ({ set }) => set(dayAt(last), 'due', '2026-11-26T08:59:59.000Z'), { raw: true })
lie('books older than the ones before', 'days', ({ set }) => set(booksAt('2026-11-25'), 'time', '2026-11-26T10:00:00.000Z'))
lie('supply below the highest number', 'E1', ({ entries, at }) =>
  entries.splice(at(dayAt('2026-11-24')), 0, setting('supply', '2026-11-24T13:00:00.000Z', '2026-11-24T20:00:00.000Z', 20)),
)
lie('a leaf that is none', 'E1', ({ leaves }) => {
  leaves[last][5] = `0104${leaves[last][5].slice(4)}`
})
lie('another root than that of the leaves', 'E1', ({ set }) => set(dayAt(last), 'nodes', `${SUPPLY} ${b64(sha())}`), {
  raw: true,
})
lie('a kind miscounted', 'E1', ({ set }) => set(dayAt(last), 'kinds', '279 15 2 4'), { plain: true })
lie('rewards of another sum', 'E4', ({ set }) => set(dayAt(last), 'rewards', '1'), { plain: true })
lie('a group with another price in one entry', 'E2', ({ set }) => set(transferAt(paidB2, 'orphaned'), 'price', 2n * XCR))
lie('a bonus confirmed as a purchase', 'E2', ({ entries, at }) =>
  entries.splice(
    at(dayAt(last)),
    0,
    grant({ time: '2026-11-25T12:00:00.000Z', cause: 'unpaid', group: groups.rule, account: ann }),
  ),
)
lie('nodes whose payment was taken away', 'E2', ({ entries, at, set }) => {
  entries.splice(at(dayAt(last)), 0, deposit({ ...paidA, time: '2026-11-25T12:00:00.000Z', decision: 'review', reason: 'late' }))
  set(booksAt(last), 'counted', 12n * XCR)
  set(booksAt(last), 'review', 36n * XCR)
})
lie('a number in two groups, and another left out', 'E2', ({ set, leaves }) => {
  set('cause rule', 'numbers', '12')
  for (const day of since('2026-11-22')) delete leaves[day][17]
})
lie('a refund of 1 unit, told alike everywhere', 'E2', ({ set, chain }) => {
  set(transferAt(stray, 'refunded'), 'reason', 'partial')
  set(transferAt(stray, 'refunded'), 'returned', '1')
  for (const day of ['2026-11-22', '2026-11-23', '2026-11-25', last]) set(booksAt(day), 'returned', '1')
  chain.refunds[0].amount = '1'
})
lie('a large payment ignored as dust, told alike everywhere', 'E2', ({ set, chain }) => {
  set(transferAt(dust, 'ignored'), 'amount', 9n * XCR)
  for (const day of ['2026-11-22', '2026-11-23', '2026-11-25', last]) {
    set(booksAt(day), 'ignored', 9n * XCR)
    set(booksAt(day), 'received', (day === '2026-11-22' ? 61n : day === '2026-11-23' ? 61n : 64n) * XCR)
  }
  chain.payment.find(({ hash }) => hash === word(0xd1)).amount = String(9n * XCR)
})
lie('one refund for two payments', 'E2', ({ entries, at, set }) => {
  const facts = { decision: 'refunded', reason: 'full', refund: `${word(0xf1)} 0`, returned: 1n }
  entries.splice(at(dayAt(last)), 0, deposit({ ...dust, time: '2026-11-25T12:00:00.000Z', ...facts }))
  set(booksAt(last), 'ignored', '0')
  set(booksAt(last), 'refunded', 7n * XCR + 1n)
  set(booksAt(last), 'returned', 7n * XCR + 1n)
})
lie('USDT in another decision', 'E2', ({ set }) => {
  set(booksAt(last), 'counted', 47n * XCR)
  set(booksAt(last), 'review', XCR)
})
lie('USDT received is another sum', 'E2', ({ set }) => set(booksAt(last), 'received', '1'))
lie('USDT returned is another sum', 'E2', ({ set }) => set(booksAt(last), 'returned', '1'))
lie('a sale before there was a price', 'E2', ({ set }) =>
  set((text) => text.startsWith('price/'), 'from', '2026-11-20T11:00:00.000Z'),
)
lie('a price agreed long before the payment', 'E2', ({ set }) =>
  set((text) => text.startsWith('deposit/') && text.includes('group 1\n'), 'priced', '2026-11-18T10:00:00.000Z'),
)
lie('a fee that was never in force', 'E5', ({ set, chain }) => {
  for (const state of ['state accepted', 'state paid']) {
    set(state, 'fee', 6n * XCR)
    set(state, 'net', 4994n * XCR)
  }
  for (const day of ['2026-11-25', last]) set(booksAt(day), 'completed', `${4994n * XCR} ${6n * XCR}`)
  chain.reward[0].amount = String(4994n * XCR)
})
lie('a withdrawal that grew', 'E5', ({ set, entries, at }) => {
  set('state accepted', 'net', 3995n * XCR)
  set(booksAt('2026-11-23'), 'open', 4000n * XCR)
  set(booksAt('2026-11-23'), 'balances', BigInt(lineOf(entries[at(booksAt('2026-11-23'))], 'balances')) + 1000n * XCR)
})
lie('a correction twice, told alike everywhere', 'E4', (log) => {
  log.entries.splice(log.at('correction/v1'), 0, correction('2026-11-23T09:31:01.000Z', '2026-11-23', 'thawed', `13-15:${RATE}`))
  log.set(dayAt('2026-11-25'), 'corrected', 6n * RATE)
  for (const day of since('2026-11-25')) for (const number of [13, 14, 15]) log.leaf(day, number, { more: RATE })
  lower(log, -3n * RATE)
})
lie('a correction for a day that is not in the log', 'E4', (log) => {
  log.entries.splice(log.at('correction/v1'), 0, correction('2026-11-23T09:31:01.000Z', '2026-11-19', 'thawed', `16:${RATE}`))
  log.set(dayAt('2026-11-25'), 'corrected', 4n * RATE)
  for (const day of since('2026-11-25')) log.leaf(day, 16, { more: RATE })
  lower(log, -RATE)
})
lie('a correction of half the rate', 'E4', (log) => {
  log.set('correction/v1', 'credits', `13-15:${RATE / 2n}`)
  log.set(dayAt('2026-11-25'), 'corrected', (3n * RATE) / 2n)
  for (const day of since('2026-11-25')) for (const number of [13, 14, 15]) log.leaf(day, number, { more: -RATE / 2n })
  lower(log, (3n * RATE) / 2n)
})
lie('a correction for one more node', 'E4', (log) => {
  log.set('correction/v1', 'credits', `12-15:${RATE}`)
  log.set(dayAt('2026-11-25'), 'corrected', 4n * RATE)
  for (const day of since('2026-11-25')) log.leaf(day, 12, { more: RATE })
  lower(log, -RATE)
})
lie('a correction for nodes that waited while they were frozen', 'E4', (log) => {
  const vanished = { ...paidB, block: undefined, mined: undefined, group: groups.ben, decision: 'orphaned', reason: 'counted' }
  log.entries.splice(log.at(dayAt('2026-11-22')), 0, deposit({ ...vanished, time: '2026-11-21T17:00:00.000Z' }))
  log.entries.splice(log.at('topic sales-resumed'), 0, counted(paidB, groups.ben, '2026-11-22T09:20:00.000Z'))
  log.set(booksAt('2026-11-22'), 'counted', 39n * XCR)
  log.set(booksAt('2026-11-22'), 'orphaned', 6n * XCR)
  for (const number of [13, 14, 15]) log.leaf('2026-11-22', number, { state: 3 })
  const credited = correction('2026-11-23T09:31:01.000Z', '2026-11-22', 'thawed', `13-15:${RATE}`)
  log.entries.splice(log.at('correction/v1'), 0, credited)
  log.set(dayAt('2026-11-25'), 'corrected', 6n * RATE)
  for (const day of since('2026-11-25')) for (const number of [13, 14, 15]) log.leaf(day, number, { more: RATE })
  lower(log, -3n * RATE)
})
lie('a node hidden from a day, and its allocation back-dated', 'entries', (log) => {
  log.set('cause unpaid', 'allocated', '2026-11-22T08:00:00.000Z')
  log.set('cause unpaid', 'active', '2026-11-23T08:00:00.000Z')
  log.leaf('2026-11-23', 18, { state: 2 })
  for (const day of since('2026-11-23')) log.leaf(day, 18, { more: RATE })
  raise(log, '2026-11-23', RATE)
  lower(log, -RATE)
})
lie('the block of the payments withdrawn', 'E6', ({ set }) => set(booksAt(last), 'payment-block', '-'))
lie('the block of the payouts falls', 'E6', ({ set }) =>
  set(booksAt(last), 'reward-block', `680 ${word(0x9b)} 2026-11-26T08:59:58.000Z`),
)
lie('a block of two days ago', 'E6', ({ set }) =>
  set(booksAt(last), 'reward-block', `790 ${word(0x9b)} 2026-11-24T08:59:58.000Z`),
)
lie('the reserve of another wallet', 'E7', ({ set }) => set(booksAt(last), 'reserve', `${payoutAddress}:1`))
out.log.lies = lies

// Lies to one holder: the ticks of an account.
const holderLies = []
const lieTo = (index, what, tick, change, rest) => lie(what, tick, change, { into: holderLies, rest: { holder: index, ...rest } })
const recommit = (log, test, commit) => {
  const index = log.at(test)
  const body = bodyOf(log.entries[index])
  log.entries[index] = `${body}owner ${commit(body)}\n`
}
lieTo(0, 'one number for two buyers', 'nodes', ({ leaf }) => leaf(last, 5, { c: holder(ben, last, 5) }))
lieTo(0, 'the commitment of another day', 'nodes', ({ leaf }) => leaf(last, 5, { c: holder(ann, '2026-11-25', 5) }))
lieTo(0, 'the commitment of another number', 'nodes', ({ leaf }) => leaf(last, 5, { c: holder(ann, last, 4) }))
lieTo(0, 'a node left out', 'nodes', ({ leaves }) => {
  for (const day of since('2026-11-22')) delete leaves[day][17]
})
lieTo(1, 'a reward skipped for one node', 'rewards', ({ leaf }) => leaf(last, 16, { more: -NEW_RATE }))
lieTo(0, 'a deposit given to another account', 'deposits', (log) =>
  recommit(log, transferAt(paidA, 'counted'), (body) => own(ben, body)),
)
lieTo(0, 'a deposit ignored', 'deposits', ({ entries, at }) => {
  entries[at(transferAt(paidA, 'counted'))] = deposit({
    ...paidA,
    time: '2026-11-20T10:10:00.000Z',
    decision: 'ignored',
    reason: 'decision',
  })
})
lieTo(0, 'a deposit refunded with 1 unit', 'deposits', ({ entries, at }) => {
  const facts = { decision: 'refunded', reason: 'partial', refund: `${word(0xf2)} 0`, returned: 1n }
  entries[at(transferAt(paidA, 'counted'))] = deposit({ ...paidA, time: '2026-11-20T10:10:00.000Z', ...facts })
})
lieTo(0, 'a deposit without an entry', 'deposits', ({ entries, at }) => entries.splice(at(transferAt(paidA, 'counted')), 1))
lieTo(0, 'a payout to another address', 'payouts', (log) =>
  recommit(log, 'state paid', (body) => ownPayout(ann, body, { recipient: wallet, message })),
)
lieTo(0, 'a payout for another message', 'payouts', (log) =>
  recommit(log, 'state paid', (body) => ownPayout(ann, body, { recipient: payoutAddress, message: `${message}0` })),
)
lieTo(0, 'another fee than the signed one', 'payouts', (log) => {
  log.set('state paid', 'fee', 6n * XCR)
  log.set('state paid', 'net', 4994n * XCR)
  recommit(log, 'state paid', (body) => ownPayout(ann, body, withdrawal))
})
lieTo(0, 'a withdrawal that the log does not know', 'receipts', ({ entries, at }) => {
  entries.splice(at('state accepted'), 1)
  entries.splice(at('state paid'), 1)
})
lieTo(0, 'a withdrawal that the log knows too late', 'receipts', ({ entries, at }) => {
  entries.splice(at('state accepted'), 1)
  const [paid] = entries.splice(at('state paid'), 1)
  entries.splice(at(dayAt(last)), 0, paid)
})
lieTo(0, 'activation a day late, told alike everywhere', 'receipts', (log) => {
  log.set(transferAt(paidA, 'counted'), 'allocated', '2026-11-21T10:05:00.000Z')
  log.set(transferAt(paidA, 'counted'), 'active', '2026-11-22T10:05:00.000Z')
  recommit(log, transferAt(paidA, 'counted'), (body) => own(ann, body))
})
lieTo(0, 'a receipt of another installation', 'receipts', () => {}, {
  receipts: { nodes: signNote(receiptTexts.nodes.replace(b64(genesisHash), b64(sha())), receiptName, receiptKey) },
})
lieTo(0, 'a receipt of another account', 'receipts', () => {}, {
  receipts: {
    nodes: signNote(receiptTexts.nodes.replace(b64(accountHash(ann)), b64(accountHash(ben))), receiptName, receiptKey),
  },
})
lieTo(0, 'no receipt for a purchase', 'receipts', () => {}, { receipts: { nodes: null } })
const changedReceipt = (text) => signNote(text, receiptName, receiptKey)
lieTo(1, 'a receipt of a grant where there is none', 'receipts', () => {}, {
  receipts: { unpaid: changedReceipt(receiptTexts.unpaid.replace('cause unpaid', 'cause grant').replace(/price .*/, 'price -')) },
})
lieTo(0, 'a receipt of a purchase where there is a grant', 'receipts', () => {}, {
  receipts: { grant: changedReceipt(receiptTexts.grant.replace('cause grant', 'cause unpaid').replace(/price .*/, 'price 1')) },
})
lieTo(0, 'a node that is free on the promised day', 'receipts', ({ leaves }) => {
  delete leaves['2026-11-22'][5]
})
lieTo(0, 'a node that still waits', 'nodes', ({ leaf }) => leaf(last, 5, { state: 1 }))
lieTo(
  0,
  'a signed withdrawal without an entry and a receipt',
  'payouts',
  ({ entries, at }) => {
    entries.splice(at('state accepted'), 1)
    entries.splice(at('state paid'), 1)
  },
  { receipts: { withdrawal: null } },
)
lieTo(0, 'a balance one unit short', 'balance', () => {}, { balance: String(BigInt(out.log.holders[0].balance) - 1n) })
out.log.holderLies = holderLies

console.log(JSON.stringify(out, null, 1))
