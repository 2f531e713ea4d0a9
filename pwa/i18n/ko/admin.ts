import type { Texts } from '../Texts.ts'

/** The back office. */
export const admin: Texts = {}
