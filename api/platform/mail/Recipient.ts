import type { Language } from '#shared/languages.ts'

/** The recipient of a mail, with the language to use. */
export interface Recipient {
  email: string
  language: Language
}

/** The owner of an account as a mail recipient. */
export interface Owner extends Recipient {
  id: string
}
