import type { Texts } from '../Texts.ts'

/** Buying nodes and following a payment. */
export const purchase: Texts = {}
