import type { Services } from '#api/platform/services.ts'
import { DemoActions } from './DemoActions.ts'
import type { DemoHolder } from './DemoHolder.ts'

export interface DemoLogins {
  administrator: { username: string; password: string }
  /** The password of every holder. */
  password: string
  holders: { email: string; about: string; otpSecret: string }[]
}

const ADMINISTRATOR = { username: 'admin', password: 'Demo-Admin-1' }
const PASSWORD = 'Demo-Holder-1!'

/** Fills a new installation with ten days of activity of a few users. */
export async function fillDemo(services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>, url: string): Promise<DemoLogins> {
  const demo = new DemoActions(services, { url, administrator: ADMINISTRATOR, password: PASSWORD })
  await demo.setUp()
  const mina = demo.openHolder('mina')
  const joon = demo.openHolder('joon')
  const sora = demo.openHolder('sora')
  const leon = demo.openHolder('leon')
  for (const holder of [mina, joon, sora, leon]) await holder.signUp()

  await demo.buy(mina, 150)
  await demo.buy(joon, 40)
  await demo.buy(sora, 90)
  await demo.advance(8)

  await mina.verifyCode()
  await mina.withdraw('4000')
  await demo.grantBonus(mina, 15)
  await demo.grantBonus(sora, 5)
  // A withdrawal right after a change of the authenticator goes to manual review.
  await sora.disableOtp()
  await sora.enableOtp()
  await demo.rejectWithdrawal(await sora.withdraw('3000'), 'Cancelled by email at the holder’s request.')
  await sora.verifyCode()
  await sora.withdraw('3200')
  await demo.advance(2)

  await mina.verifyCode()
  await demo.buy(mina, 20)
  await joon.verifyCode()
  await demo.pay(joon, await joon.reserve(10), '27')
  await demo.cancelPurchase(leon, await demo.reserveAndReport(leon, 25))
  await leon.verifyCode()
  await demo.reserveAndReport(leon, 12)
  await demo.payFromUnknownWallet('60')
  await demo.settle()
  await demo.waitForPayouts()

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
}

const login = ({ email, otpSecret }: DemoHolder) => ({ email, otpSecret })
