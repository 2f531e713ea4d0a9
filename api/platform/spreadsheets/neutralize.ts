/**
 * Prevents formula injection: text that begins like a formula becomes one when a program opens the file or a CSV file saved from it; in
 * Korean and Japanese also with full-width signs.
 */
export const neutralize = (text: string): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)
