import type Router from '@koa/router'
import type { Hex } from 'viem'
import * as contract from '#shared/contract/wallet.ts'
import { refusal } from '#api/platform/errors.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import { route } from '#api/platform/http/route.ts'
import { siteHost } from '#api/platform/http/siteHost.ts'
import type { Services } from '#api/platform/services.ts'
import { checkWalletProof } from './checkWalletProof.ts'
import { presentWallet } from './presentWallet.ts'
import { setWallet } from './setWallet.ts'

export function walletRoutes(
  router: Router,
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits' | 'paymentChain'>,
): void {
  const { clock, config, limits, paymentChain } = services

  route(
    router,
    contract.updateWallet,
    async ({ em, actor, body: { walletAddress: address, message, signature }, header, clientAddress }) => {
      await limits.count('wallet', actor.id)
      const user = ownerOf(actor)
      const now = clock.now()
      if ((message === undefined) !== (signature === undefined)) {
        throw refusal(400, 'wallet_proof_invalid', 'A proof is a message and its signature.')
      }
      const proven = address !== null && message !== undefined && signature !== undefined
      // Before the transaction: a contract wallet is asked over the network.
      if (proven) {
        const host = siteHost(config, header('host'))
        await checkWalletProof(paymentChain, { email: user.email, address, host, message, signature: signature as Hex, now })
      }
      return em.transactional(async (em) => {
        await setWallet(em, services, { user, address, proven, clientAddress, now })
        return presentWallet(em, user.id)
      })
    },
    { transaction: false },
  )
}
