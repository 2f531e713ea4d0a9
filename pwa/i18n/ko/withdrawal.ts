import type { Texts } from '../Texts.ts'

/** The history, withdrawals, wallets. */
export const withdrawal: Texts = {}
