import { sql } from 'kysely'
import type { Address, Hash } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import { type Client, createClient } from '#shared/contract/client.ts'
import { advanceDemoClock } from '#shared/contract/demo.ts'
import { initializeSetup } from '#shared/contract/setup.ts'
import { query } from '#api/entities/tables.ts'
import { decideWithdrawal } from '#api/office/routes/decideWithdrawal.ts'
import type { Services } from '#api/platform/services.ts'
import { assignBonus } from '#api/sale/bonus/assignBonus.ts'
import { closePurchase } from '#api/sale/purchases/closePurchase.ts'
import { decidePurchase } from '#api/sale/purchases/decidePurchase.ts'
import { rejectWithdrawal } from '#api/withdrawals/requests/rejectWithdrawal.ts'
import { connectDevChain, PAYMENT_CHAIN_ID } from '../connectDevChain.ts'
import { bep20Usdt } from '../contracts/generated/bep20Usdt.ts'
import { DemoHolder } from './DemoHolder.ts'
import { waitUntil } from './waitUntil.ts'

interface Options {
  url: string
  administrator: { username: string; password: string }
  /** The password of every holder. */
  password: string
}

/**
 * What happens in the demo. Users act through the HTTP endpoints, and the running worker and watcher process their requests. Decisions of
 * administrators are made by the functions behind their endpoints.
 */
export class DemoActions {
  readonly #services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>
  readonly #options: Options
  readonly #call: Client
  readonly #chain: ReturnType<typeof connectDevChain>
  /** Who made the decisions, for the audit log. */
  readonly #decidedBy: { actor: string; clientAddress: string }

  constructor(services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>, options: Options) {
    this.#services = services
    this.#options = options
    this.#call = createClient({ baseUrl: options.url })
    this.#chain = connectDevChain(services.config.BSC_RPC_URLS[0]!, PAYMENT_CHAIN_ID)
    this.#decidedBy = { actor: `admin:${options.administrator.username}`, clientAddress: '127.0.0.1' }
  }

  async setUp(): Promise<void> {
    const { administrator } = this.#options
    await this.#call(initializeSetup, {
      body: { ...administrator, confirmPassword: administrator.password, allowedIps: ['127.0.0.1'] },
    })
  }

  openHolder(name: string): DemoHolder {
    const { url, password } = this.#options
    return new DemoHolder({ url, email: `${name}@example.com`, password, mailedCode: (email) => this.#readMailedCode(email) })
  }

  async buy(holder: DemoHolder, quantity: number): Promise<void> {
    const reservation = await holder.reserve(quantity)
    await holder.report(reservation, await this.#send(holder, reservation.depositAddress, reservation.purchaseAmountUsdt))
    await this.settle()
    await waitUntil(`the purchase of ${holder.email}`, () =>
      isFound(this.#db().selectFrom('purchases').select('id').where('id', '=', reservation.id).where('status', '=', 'confirmed')),
    )
  }

  async pay(holder: DemoHolder, { depositAddress }: { depositAddress: Address }, usdt: string): Promise<void> {
    await this.#send(holder, depositAddress, parseAmount(usdt)!)
  }

  async reserveAndReport(holder: DemoHolder, quantity: number): Promise<string> {
    const { id } = await holder.report(await holder.reserve(quantity))
    return id
  }

  /** Pays from a wallet that belongs to no account. */
  async payFromUnknownWallet(usdt: string): Promise<void> {
    const stranger = this.openHolder('stranger')
    await stranger.fund()
    await this.#send(stranger, this.#services.config.DEPOSIT_ADDRESS, parseAmount(usdt)!)
  }

  /** Mines until the sent payments are final, and waits until they are settled. */
  async settle(): Promise<void> {
    const { PAYMENT_CONFIRMATIONS } = this.#services.config
    await this.#chain.mine({ blocks: PAYMENT_CONFIRMATIONS + 1 })
    const { number } = await this.#chain.getBlock()
    const final = number - BigInt(PAYMENT_CONFIRMATIONS)
    await waitUntil('the watcher', () =>
      isFound(this.#db().selectFrom('chain_progress').select('chainId').where('verifiedNumber', '>=', final)),
    )
    await waitUntil(
      'every deposit to be settled',
      async () => !(await isFound(this.#db().selectFrom('deposits').select('id').where('state', '=', 'seen'))),
    )
  }

  async waitForPayouts(): Promise<void> {
    await waitUntil(
      'every withdrawal to be paid',
      async () =>
        !(await isFound(this.#db().selectFrom('withdrawals').select('id').where('status', 'in', ['pending', 'processing']))),
    )
  }

  async advance(days: number): Promise<void> {
    await this.#call(advanceDemoClock, { body: { advanceHours: days * 24 } })
    await waitUntil('the daily rewards', () =>
      isFound(
        this.#db()
          .selectFrom('reward_runs as r')
          .innerJoin('installation as i', (join) => join.on('i.id', '=', 1))
          .select('r.day')
          .where('r.paidAt', 'is not', null)
          .where('r.day', '>=', (eb) => {
            const offset = sql`${eb.ref('i.clockOffsetMs')} * interval '1 millisecond'`
            return sql<string>`((now() + ${offset} - interval '9 hours') at time zone 'utc')::date`
          }),
      ),
    )
  }

  async cancelPurchase({ email }: DemoHolder, id: string): Promise<void> {
    const reason = `Cancelled at the request of ${email}.`
    await this.#em().transactional((em) =>
      decidePurchase(em, { id, action: 'purchase.cancel', note: reason, ...this.#decidedBy }, (open) =>
        closePurchase(em, this.#services, open, { status: 'cancelled', reason }),
      ),
    )
  }

  async rejectWithdrawal(id: string, reason: string): Promise<void> {
    await this.#em().transactional((em) =>
      decideWithdrawal(em, { id, action: 'withdrawal.reject', ...this.#decidedBy }, () =>
        rejectWithdrawal(em, this.#services, { id, reason }),
      ),
    )
  }

  async grantBonus({ email: userEmail }: DemoHolder, quantity: number): Promise<void> {
    const by = { actor: this.#decidedBy.actor, ipAddress: this.#decidedBy.clientAddress }
    await this.#em().transactional((em) => assignBonus(em, this.#services, { userEmail, quantity, notes: undefined, by }))
  }

  async #send({ wallet }: Pick<DemoHolder, 'wallet'>, to: Address, amount: bigint): Promise<Hash> {
    const hash = await this.#chain.writeContract({
      account: wallet,
      address: this.#services.config.USDT_ADDRESS,
      abi: bep20Usdt.abi,
      functionName: 'transfer',
      args: [to, amount],
    })
    await this.#chain.waitForTransactionReceipt({ hash })
    return hash
  }

  async #readMailedCode(email: string): Promise<string> {
    const mail = await this.#db()
      .selectFrom('outgoing_mails')
      .select('text')
      .where('to', '=', email)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return /\d{6}/.exec(mail?.text ?? '')![0]
  }

  #em() {
    return this.#services.orm.em.fork()
  }

  #db() {
    return query(this.#em())
  }
}

async function isFound(rows: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> {
  return (await rows.executeTakeFirst()) !== undefined
}
