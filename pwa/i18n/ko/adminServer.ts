import type { Texts } from '../Texts.ts'

/** What the server and shared/ say to an administrator; {name} stands for whatever the sentence carries there. */
export const adminServer: Texts = {}
