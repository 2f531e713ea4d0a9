import type { Texts } from '../Texts.ts'

/** Logging in, signing up, the account’s security, the first set-up. */
export const account: Texts = {}
