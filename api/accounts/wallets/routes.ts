import type Router from '@koa/router'
import type { Hex } from 'viem'
import * as contract from '#shared/contract/wallet.ts'
import { refusal } from '#api/platform/errors.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import { route } from '#api/platform/http/route.ts'
import { siteHost } from '#api/platform/http/siteHost.ts'
import type { Services } from '#api/platform/services.ts'
import { presentUser } from '../identity/presentUser.ts'
import { checkWalletProof } from './checkWalletProof.ts'
import { setWallet } from './setWallet.ts'

export function walletRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'paymentChain'>): void {
  const { clock, config, paymentChain } = services

  route(router, contract.updateWallet, {
    async prepare({ actor, body: { walletAddress: address, message, signature }, header }) {
      const now = clock.now()
      if ((message === undefined) !== (signature === undefined)) {
        throw refusal(400, 'wallet_proof_invalid', 'A proof needs both a message and its signature.')
      }
      if (address === null || message === undefined || signature === undefined) return { proven: false, now }
      const host = siteHost(config, header('host'))
      const proof = { email: ownerOf(actor).email, address, host, message, signature: signature as Hex, now }
      await checkWalletProof(paymentChain, proof)
      return { proven: true, now }
    },
    async handle({ em, actor, body: { walletAddress: address }, clientAddress, prepared }) {
      const user = ownerOf(actor)
      await setWallet(em, services, { user, address, clientAddress, ...prepared })
      return presentUser(em, clock, user.id)
    },
  })
}
