import { z } from 'zod'
import { address } from '../wire/address.ts'
import { endpoint } from './endpoint.ts'
import { authUser } from './identity.ts'

/**
 * Registers the caller's wallet address, or removes it with null.
 *
 * The proof is the message of `walletProofMessage` signed by that wallet; our own client always sends it after connecting. An
 * address without a proof matches only payments of requests opened before them.
 */
export const updateWallet = endpoint({
  method: 'PATCH',
  path: '/api/auth/user/wallet',
  access: 'user',
  limit: 'wallet',
  body: z.object({
    walletAddress: address.nullable(),
    message: z.string().max(1_000).optional(),
    signature: z
      .string()
      .max(10_000)
      .regex(/^0x[0-9a-fA-F]+$/)
      .optional(),
  }),
  response: authUser.extend({ walletProven: z.boolean() }),
  errors: ['account_frozen', 'wallet_taken', 'wallet_proof_invalid', 'chain_unavailable'],
})
