import { sql } from 'kysely'
import type { Address, Hash } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import { type Client, createClient } from '#shared/contract/client.ts'
import { advanceDemoClock } from '#shared/contract/demo.ts'
import { initializeSetup } from '#shared/contract/setup.ts'
import { query } from '#api/entities/tables.ts'
import { assignBonus } from '#api/sale/bonus/assignBonus.ts'
import { closePurchase } from '#api/sale/purchases/closePurchase.ts'
import { decidePurchase } from '#api/sale/purchases/decidePurchase.ts'
import { decideWithdrawal } from '#api/office/routes/decideWithdrawal.ts'
import { rejectWithdrawal } from '#api/withdrawals/requests/rejectWithdrawal.ts'
import type { Services } from '#api/platform/services.ts'
import { connectDevChain, PAYMENT_CHAIN_ID } from '../connectDevChain.ts'
import { bep20Usdt } from '../contracts/generated/bep20Usdt.ts'
import { DemoHolder } from './DemoHolder.ts'
import { waitUntil } from './waitUntil.ts'

export interface DemoLogins {
  administrator: { username: string; password: string }
  /** The password of every holder. */
  password: string
  holders: { email: string; about: string; otpSecret: string }[]
}

const ADMINISTRATOR = { username: 'admin', password: 'Demo-Admin-1' }
/** Who made the decisions, for the audit log. */
const DECIDED_BY = { actor: `admin:${ADMINISTRATOR.username}`, clientAddress: '127.0.0.1' }
const PASSWORD = 'Demo-Holder-1!'

/**
 * Fills a new installation with ten days of activity of a few users. Users act through the HTTP endpoints, and the running worker and
 * watcher process their requests. Decisions of administrators are made by the functions behind their endpoints.
 */
export async function fillDemo(services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>, url: string): Promise<DemoLogins> {
  const { orm, config } = services
  const db = () => query(orm.em.fork())
  const isFound = async (rows: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> =>
    (await rows.executeTakeFirst()) !== undefined
  const chain = connectDevChain(config.BSC_RPC_URLS[0]!, PAYMENT_CHAIN_ID)
  const call: Client = createClient({ baseUrl: url })
  await call(initializeSetup, {
    body: { ...ADMINISTRATOR, confirmPassword: ADMINISTRATOR.password, allowedIps: ['127.0.0.1'] },
  })
  const open = (name: string) => new DemoHolder({ url, email: `${name}@example.com`, password: PASSWORD, mailedCode })
  const [mina, joon, sora, leon] = [open('mina'), open('joon'), open('sora'), open('leon')]
  for (const holder of [mina, joon, sora, leon]) await holder.signUp()

  await buy(mina, 150)
  await buy(joon, 40)
  await buy(sora, 90)
  await advance(8)

  await mina.verifyCode()
  await mina.withdraw('4000')
  await grantBonus(mina, 15)
  await grantBonus(sora, 5)
  // A withdrawal right after a change of the authenticator goes to manual review.
  await sora.disableOtp()
  await sora.enableOtp()
  const rejected = await sora.withdraw('3000')
  await orm.em
    .fork()
    .transactional((em) =>
      decideWithdrawal(em, { id: rejected, action: 'withdrawal.reject', ...DECIDED_BY }, () =>
        rejectWithdrawal(em, services, { id: rejected, reason: 'Cancelled by email at the holder’s request.' }),
      ),
    )
  await sora.verifyCode()
  await sora.withdraw('3200')
  await advance(2)

  await mina.verifyCode()
  await buy(mina, 20)
  await joon.verifyCode()
  await pay(joon, await joon.reserve(10), '27')
  await cancel(leon, await reserveAndReport(leon, 25))
  await leon.verifyCode()
  await reserveAndReport(leon, 12)
  await payFromUnknownWallet('60')
  await settle()
  await waitUntil(
    'every withdrawal to be paid',
    async () => !(await isFound(db().selectFrom('withdrawals').select('id').where('status', 'in', ['pending', 'processing']))),
  )

  return {
    administrator: ADMINISTRATOR,
    password: PASSWORD,
    holders: [
      { ...login(mina), about: '185 nodes including 15 bonus nodes, a paid withdrawal' },
      { ...login(sora), about: '95 nodes, a withdrawal on hold, a rejected withdrawal' },
      { ...login(joon), about: '40 nodes, an underpaid purchase of 10 more' },
      { ...login(leon), about: 'no nodes, a purchase awaiting payment, a cancelled purchase' },
    ],
  }

  function login({ email, otpSecret }: DemoHolder) {
    return { email, otpSecret }
  }

  async function mailedCode(email: string): Promise<string> {
    const mail = await db()
      .selectFrom('outgoing_mails')
      .select('text')
      .where('to', '=', email)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return /\d{6}/.exec(mail?.text ?? '')![0]
  }

  async function buy(holder: DemoHolder, quantity: number): Promise<void> {
    const reservation = await holder.reserve(quantity)
    await holder.report(reservation, await send(holder, reservation.depositAddress, reservation.purchaseAmountUsdt))
    await settle()
    await waitUntil(`the purchase of ${holder.email}`, () =>
      isFound(db().selectFrom('purchases').select('id').where('id', '=', reservation.id).where('status', '=', 'confirmed')),
    )
  }

  async function pay(holder: DemoHolder, reservation: { depositAddress: Address }, usdt: string): Promise<void> {
    await send(holder, reservation.depositAddress, parseAmount(usdt)!)
  }

  async function reserveAndReport(holder: DemoHolder, quantity: number): Promise<string> {
    const { id } = await holder.report(await holder.reserve(quantity))
    return id
  }

  async function send({ wallet }: Pick<DemoHolder, 'wallet'>, to: Address, amount: bigint): Promise<Hash> {
    const hash = await chain.writeContract({
      account: wallet,
      address: config.USDT_ADDRESS,
      abi: bep20Usdt.abi,
      functionName: 'transfer',
      args: [to, amount],
    })
    await chain.waitForTransactionReceipt({ hash })
    return hash
  }

  /** Pays from a wallet that belongs to no account. */
  async function payFromUnknownWallet(usdt: string): Promise<void> {
    const stranger = open('stranger')
    await stranger.fund()
    await send(stranger, config.DEPOSIT_ADDRESS, parseAmount(usdt)!)
  }

  /** Mines until the sent payments are final, and waits until they are settled. */
  async function settle(): Promise<void> {
    await chain.mine({ blocks: config.PAYMENT_CONFIRMATIONS + 1 })
    const { number } = await chain.getBlock()
    const final = number - BigInt(config.PAYMENT_CONFIRMATIONS)
    await waitUntil('the watcher', () =>
      isFound(db().selectFrom('chain_progress').select('chainId').where('verifiedNumber', '>=', final)),
    )
    await waitUntil(
      'every deposit to be settled',
      async () => !(await isFound(db().selectFrom('deposits').select('id').where('state', '=', 'seen'))),
    )
  }

  async function advance(days: number): Promise<void> {
    await call(advanceDemoClock, { body: { advanceHours: days * 24 } })
    await waitUntil('the daily rewards', () =>
      isFound(
        db()
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

  async function cancel({ email }: DemoHolder, id: string): Promise<void> {
    const reason = `Cancelled at the request of ${email}.`
    await orm.em
      .fork()
      .transactional((em) =>
        decidePurchase(em, { id, action: 'purchase.cancel', note: reason, ...DECIDED_BY }, (open) =>
          closePurchase(em, services, open, { status: 'cancelled', reason }),
        ),
      )
  }

  async function grantBonus({ email: userEmail }: DemoHolder, quantity: number): Promise<void> {
    const by = { actor: DECIDED_BY.actor, ipAddress: DECIDED_BY.clientAddress }
    await orm.em.fork().transactional((em) => assignBonus(em, services, { userEmail, quantity, notes: undefined, by }))
  }
}
