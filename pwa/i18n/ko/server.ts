import type { Texts } from '../Texts.ts'

/** What the server and shared/ say to a person; {name} stands for whatever the sentence carries there. */
export const server: Texts = {}
