import { generate } from 'otplib'
import { setTimeout as delay } from 'node:timers/promises'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Hash } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import { type Client, createClient } from '#shared/contract/client.ts'
import { fundDemoWallet } from '#shared/contract/demo.ts'
import * as identity from '#shared/contract/identity.ts'
import * as otp from '#shared/contract/otp.ts'
import * as purchases from '#shared/contract/purchases.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { requestWithdrawal } from '#shared/contract/withdrawals.ts'
import { SECOND } from '#shared/dates.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { newWithdrawalNonce, withdrawalMessage } from '#shared/withdrawalMessage.ts'
import { TIME_STEP, timeStepOf } from '#api/accounts/otp/findTimeStep.ts'
import { keepCookies } from './keepCookies.ts'

export interface DemoHolderOptions {
  url: string
  email: string
  password: string
  /** Returns the code of the newest mail. */
  mailedCode(email: string): Promise<string>
}

/** The assumed duration of a call on a busy machine, in milliseconds. Its code must stay valid for this time. */
const CALL_TIMEOUT = 10 * SECOND

/** A demo user. Uses the endpoints as the page does: signs up, connects a wallet, verifies codes, buys and withdraws. */
export class DemoHolder {
  readonly email: string
  readonly wallet: PrivateKeyAccount = privateKeyToAccount(generatePrivateKey())
  otpSecret = ''
  readonly #call: Client
  readonly #host: string
  readonly #options: DemoHolderOptions
  #lastStep = 0

  constructor(options: DemoHolderOptions) {
    this.#options = options
    this.email = options.email
    this.#call = createClient({ baseUrl: options.url, fetch: keepCookies() })
    this.#host = new URL(options.url).host
  }

  async signUp(): Promise<void> {
    const { email, password, mailedCode } = this.#options
    await this.#call(identity.sendVerificationCode, { body: { email } })
    await this.#call(identity.verifyCode, { body: { email, code: await mailedCode(email) } })
    await this.#call(identity.register, { body: { email, password } })
    await this.enableOtp()
    const message = walletProofMessage({
      host: this.#host,
      email,
      address: this.wallet.address,
      timestamp: new Date().toISOString(),
    })
    const signature = await this.wallet.signMessage({ message })
    await this.#call(updateWallet, { body: { walletAddress: this.wallet.address, message, signature } })
    await this.fund()
  }

  /** Funds the wallet with USDT and coins for gas fees. */
  async fund(): Promise<void> {
    await this.#call(fundDemoWallet, { body: { address: this.wallet.address } })
  }

  /** The verified code also authorizes the next purchase or withdrawal. */
  async enableOtp(): Promise<void> {
    const { secret } = await this.#call(otp.setupOtp, { body: {} })
    this.otpSecret = secret
    this.#lastStep = 0
    await this.#call(otp.enableOtp, { body: { secret, token: await this.#code() } })
  }

  async disableOtp(): Promise<void> {
    await this.#call(otp.disableOtp, { body: { token: await this.#code() } })
  }

  async verifyCode(): Promise<void> {
    await this.#call(otp.verifyOtp, { body: { token: await this.#code() } })
  }

  reserve(quantity: number): Promise<purchases.Reservation> {
    return this.#call(purchases.createReservation, { body: { requestedQuantity: quantity } })
  }

  /** Reports the payment of a reservation. */
  report({ requestedQuantity, purchaseAmountUsdt }: purchases.Reservation, transactionHash?: Hash): Promise<purchases.Purchase> {
    const hash = transactionHash && { transactionHash }
    return this.#call(purchases.createPurchase, { body: { requestedQuantity, purchaseAmountUsdt, ...hash } })
  }

  /** Returns the withdrawal's id. */
  async withdraw(xcr: string): Promise<string> {
    const [amount, fee] = [parseAmount(xcr)!, parseAmount('5')!]
    const signedMessage = withdrawalMessage({
      host: this.#host,
      chainId: REWARD_CHAIN_ID,
      email: this.email,
      amount,
      fee,
      address: this.wallet.address,
      timestamp: new Date().toISOString(),
      nonce: newWithdrawalNonce(),
    })
    const signature = await this.wallet.signMessage({ message: signedMessage })
    const body = { amount, signature, signedMessage, signerAddress: this.wallet.address }
    const { id } = await this.#call(requestWithdrawal, { body })
    return id
  }

  /** Returns an unused code of the previous, present or next time step, which are all accepted. Waits if all three are used. */
  async #code(): Promise<string> {
    const oldest = timeStepOf(new Date(Date.now() + CALL_TIMEOUT)) - 1
    const step = Math.max(this.#lastStep + 1, oldest)
    const early = (step - 1) * TIME_STEP - Date.now()
    if (early > 0) await delay(early)
    this.#lastStep = step
    return generate({ secret: this.otpSecret, epoch: (step * TIME_STEP) / SECOND })
  }
}
