import type { Texts } from '../Texts.ts'

/** The dashboard, its FAQ, the server’s notice. */
export const dashboard: Texts = {}
