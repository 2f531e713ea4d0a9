import type { PublicConfig } from '#shared/contract/settings.ts'
import { TOKEN_DECIMALS } from '#shared/amount.ts'
import { PAYMENT_CHAIN_ID, REWARD_CHAIN_ID } from '#shared/sale.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import type { Config } from '#api/platform/config.ts'

/** The public part of the configuration. It never contains the servers' own RPC addresses of a real chain, which may contain keys. */
export function describeConfig(config: Config, clock: Clock): PublicConfig {
  return {
    brandName: config.BRAND_NAME,
    supportEmail: config.SUPPORT_EMAIL,
    seller: {
      ...(config.SELLER_NAME && { name: config.SELLER_NAME }),
      ...(config.SELLER_ADDRESS && { address: config.SELLER_ADDRESS }),
      ...(config.TERMS_URL && { termsUrl: config.TERMS_URL }),
      ...(config.PRIVACY_URL && { privacyUrl: config.PRIVACY_URL }),
      ...(config.REFUNDS_URL && { refundsUrl: config.REFUNDS_URL }),
      ...(config.RISK_URL && { riskUrl: config.RISK_URL }),
    },
    depositAddress: config.DEPOSIT_ADDRESS,
    serverTime: clock.now(),
    productTime: clock.productNow(),
    demo: config.demo,
    ...(config.register && { register: true }),
    ...(config.push && { pushKey: config.push.publicKey }),
    paymentChain: {
      chainId: PAYMENT_CHAIN_ID,
      name: 'BNB Smart Chain',
      rpcUrls: config.demo ? config.BSC_RPC_URLS : [config.BSC_WALLET_RPC_URL],
      explorerUrl: config.BSC_EXPLORER_URL,
      usdtAddress: config.USDT_ADDRESS,
      usdtDecimals: TOKEN_DECIMALS,
      confirmations: config.PAYMENT_CONFIRMATIONS,
    },
    rewardChain: {
      chainId: REWARD_CHAIN_ID,
      name: config.XCR_NETWORK_NAME,
      rpcUrls: config.XCR_WALLET_RPC_URLS ?? config.XCR_RPC_URLS,
      explorerUrl: config.XCR_EXPLORER_URL,
      tokenAddress: config.XCR_TOKEN_ADDRESS,
      tokenSymbol: 'XCR',
      tokenDecimals: TOKEN_DECIMALS,
      currencySymbol: 'XP',
    },
    captcha: {
      provider: config.CAPTCHA_PROVIDER,
      ...(config.CAPTCHA_SITE_KEY && { siteKey: config.CAPTCHA_SITE_KEY }),
      ...(config.CAPTCHA_PROVIDER === 'turnstile' && {
        scriptUrl: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
      }),
    },
    ...(config.WALLETCONNECT_PROJECT_ID && { walletConnectProjectId: config.WALLETCONNECT_PROJECT_ID }),
  }
}
