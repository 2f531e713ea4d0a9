/** Escapes the wildcards of `like`, so that a text matches only itself. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)
