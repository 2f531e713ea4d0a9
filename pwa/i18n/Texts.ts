/** Translations by their English text. */
export type Texts = Readonly<Record<string, string>>
