/** What the page and its mails are written in. The texts in the code are the English ones. */
export const languages = ['en', 'ko'] as const
export type Language = (typeof languages)[number]
