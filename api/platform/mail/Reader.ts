import type { Language } from '#shared/languages.ts'

/** To whom a mail goes, and in which language. */
export interface Reader {
  email: string
  language: Language
}

/** An account as its mails need it. */
export interface Owner extends Reader {
  id: string
}
