import type { z } from 'zod'
import { create } from 'zustand'
import { type adminProof, refusedProofs } from '#shared/contract/admin/proof.ts'
import { ApiError, type CallOptions } from '#shared/contract/client.ts'
import type { Endpoint, Input, Output } from '#shared/contract/endpoint.ts'
import { api } from '#pwa/lib/api.ts'

export type Proof = z.output<typeof adminProof>

type DecisionEndpoint = Endpoint & { access: 'admin'; approvers: readonly unknown[]; body: z.ZodType<Proof> }

/** A call that the server executes only with a proof. `ProofPrompt` asks for it. */
export interface AskedProof {
  send: (proof: Proof) => Promise<unknown>
  done: (answer: unknown) => void
  failed: (error: unknown) => void
}

export const useAskedProof = create<{ asked: AskedProof | null }>()(() => ({ asked: null }))

/** The administrator has closed the prompt. Nothing has happened, and what was typed before is still there. */
export class ProofDismissed extends Error {
  override name = 'ProofDismissed'
}

const proofCodes: readonly (string | undefined)[] = refusedProofs

/** Whether the proof was refused, not the call. */
export const isProofRefused = (error: unknown): boolean => error instanceof ApiError && proofCodes.includes(error.code)

/**
 * Makes a call that another administrator has to approve, or that the caller decides alone. The server asks who decides alone for a code or a
 * passkey: the dialog of the call stays open under the prompt, and the call is sent again with the same key.
 */
export async function decide<E extends DecisionEndpoint>(
  endpoint: E,
  input: Input<E> & { body: object },
  options: CallOptions = {},
): Promise<Output<E>> {
  const same = { ...options, idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() }
  try {
    return await api(endpoint, input, same)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'proof_required')) throw error
    const send = (proof: Proof) => api(endpoint, { ...input, body: { ...input.body, ...proof } }, same)
    return await new Promise<Output<E>>((resolve, failed) => {
      useAskedProof.getState().asked?.failed(new ProofDismissed())
      useAskedProof.setState({ asked: { send, done: resolve as (answer: unknown) => void, failed } })
    })
  }
}
