import type { Address, Hash } from 'viem'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import type { Purchase, Reservation } from '#shared/contract/purchases.ts'
import * as contract from '#shared/contract/purchases.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import type { Config, Environment } from '#api/platform/config.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { DepositWatcher } from '#api/sale/deposits/DepositWatcher.ts'
import { changeSetting } from '#api/sale/settings/changeSetting.ts'
import type { SettingKey } from '#shared/settings.ts'
import { makeAccount, type PaymentChain, startPaymentChain, USDT_ADDRESS } from './chains.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { type Buyer, type BuyerOptions, makeBuyer } from './people.ts'
import { startServer, type TestServer } from './server.ts'
import { onCleanup } from './onCleanup.ts'

export interface SaleOptions {
  supply?: number
  confirmations?: number
  env?: Environment
  /** Replaces values of the configuration. */
  config?: Partial<Config>
  /** Variables that connect the product to the database in another way than the test, such as through a pooler. */
  reach?: (database: TestDatabase) => Environment
  mining?: 'instant' | 'manual'
  /** Endpoints in front of the test's chain that the product uses instead of it. */
  rpcUrls?: (chain: PaymentChain) => string[] | Promise<string[]>
  maxRange?: bigint
}

/** The columns of a deposit that tests compare. */
export interface DepositRow {
  state: string
  reason: string | null
  amount: string
  purchaseId: string | null
  blockNumber: number | null
}

export interface Sale {
  server: TestServer
  database: TestDatabase
  chain: PaymentChain
  depositAddress: Address
  confirmations: number
  alerts: string[]
  /** Creates a buyer with a proven wallet and USDT. */
  openBuyer(options?: BuyerOptions & { usdt?: string }): Promise<Buyer>
  /** Reserves nodes, authorized as by a verified code. */
  reserve(buyer: Buyer, quantity: number, idempotencyKey?: string): Promise<Reservation>
  /** Sends USDT from a wallet to the deposit address. */
  pay(from: Buyer['wallet'], usdt: string): Promise<Hash>
  post(buyer: Buyer, body: { quantity: number; usdt: string; hash?: Hash }, idempotencyKey?: string): Promise<Purchase>
  purchases(buyer: Buyer): Promise<Purchase[]>
  /** Runs the watcher once. */
  watch(): Promise<void>
  /** Mines until the sent payments are final, and runs the watcher once. */
  confirm(): Promise<void>
  newWatcher(options?: { endpoints?: readonly RpcEndpoint[]; epoch?: number; config?: Partial<Config> }): DepositWatcher
  deposits(): Promise<DepositRow[]>
  supply(): Promise<{ total: number; paid: number; bonus: number; reserved: number }>
  nodeNumbers(): Promise<number[]>
  set(key: SettingKey, value: string): Promise<void>
}

/** Starts a database, a payment chain, the web server and a watcher that the test runs, for one test. */
export async function startSale({
  supply = 20_000,
  confirmations = 3,
  env = {},
  config: given = {},
  mining = 'instant',
  reach,
  rpcUrls,
  maxRange,
}: SaleOptions = {}): Promise<Sale> {
  const [database, chain] = await Promise.all([createDatabase(), startPaymentChain({ mining })])
  // In this order the chain is released first. Apart, so that a failure says which of them it was.
  onCleanup(() => database.release())
  onCleanup(() => chain.release())
  const depositAddress = makeAccount().address.toLowerCase() as Address
  const server = await startServer(database, {
    config: given,
    env: {
      BSC_RPC_URLS: ((await rpcUrls?.(chain)) ?? [chain.url]).join(','),
      DEPOSIT_ADDRESS: depositAddress,
      USDT_ADDRESS,
      PAYMENT_CONFIRMATIONS: String(confirmations),
      ...reach?.(database),
      ...env,
    },
  })
  const { orm, config } = server.services
  const em = () => orm.em.fork()
  await sql(em(), 'update supply set total = $1', [supply])
  const alerts: string[] = []
  await sql(em(), `update leaderships set epoch = 1 where role = 'watcher'`)

  const newWatcher: Sale['newWatcher'] = ({ endpoints = paymentEndpoints(config), epoch = 1, config: changes } = {}) =>
    new DepositWatcher({
      services: changes ? { ...server.services, config: { ...config, ...changes } } : server.services,
      endpoints,
      term: { role: 'watcher', epoch },
      onAlert: (message) => void alerts.push(message),
      ...(maxRange && { maxRange }),
    })
  const watcher = newWatcher()
  let minting = Promise.resolve()

  const sale: Sale = {
    server,
    database,
    chain: {
      ...chain,
      async mineAt(time) {
        await chain.mineAt(time)
        // A block of the future expires nothing.
        if (time > server.clock.now()) server.clock.set(time)
      },
    },
    depositAddress,
    confirmations,
    alerts,
    async openBuyer({ usdt = '1000', ...options } = {}) {
      const buyer = await makeBuyer(server, options)
      // Sequentially, because all mints are transactions of one account.
      minting = minting.then(async () => {
        await chain.mintUsdt(buyer.wallet.address, parseAmount(usdt)!)
        if (mining === 'manual') await chain.mine()
      })
      await minting
      return buyer
    },
    async reserve(buyer, quantity, idempotencyKey) {
      await buyer.grantMark()
      return buyer.browser.call(
        contract.createReservation,
        { body: { requestedQuantity: quantity } },
        idempotencyKey ? { idempotencyKey } : {},
      )
    },
    pay: (from, usdt) => chain.transferUsdt({ from, to: depositAddress, amount: parseAmount(usdt)! }),
    post: (buyer, { quantity, usdt, hash }, idempotencyKey) =>
      buyer.browser.call(
        contract.createPurchase,
        { body: { requestedQuantity: quantity, purchaseAmountUsdt: parseAmount(usdt)!, ...(hash && { transactionHash: hash }) } },
        idempotencyKey ? { idempotencyKey } : {},
      ),
    purchases: (buyer) => buyer.browser.call(contract.listPurchases, {}),
    watch: () => watcher.catchUp(),
    async confirm() {
      await chain.mine(confirmations)
      await watcher.catchUp()
    },
    newWatcher,
    async deposits() {
      const rows = await sql<{
        state: string
        review_reason: string | null
        amount: string
        purchase_id: string | null
        block_number: number | null
      }>(em(), 'select state, review_reason, amount, purchase_id, block_number from deposits order by first_seen_at, id')
      return rows.map((row) => ({
        state: row.state,
        reason: row.review_reason,
        amount: formatAmount(BigInt(row.amount)),
        purchaseId: row.purchase_id,
        blockNumber: row.block_number,
      }))
    },
    async supply() {
      const [row] = await sql<Awaited<ReturnType<Sale['supply']>>>(em(), 'select total, paid, bonus, reserved from supply')
      return row!
    },
    async nodeNumbers() {
      const rows = await sql<{ number: number }>(em(), 'select number from nodes order by number')
      return rows.map(({ number }) => number)
    },
    async set(key, value) {
      server.clock.advance(1)
      await em().transactional((em) => changeSetting(em, { key, value, effectiveAt: server.clock.now() }))
    },
  }
  return sale
}
