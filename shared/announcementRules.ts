/**
 * What people or their mail programs follow: links, domains, IP and email addresses, account names, wallets. Full stops that a browser
 * reads as one are equal after the normalization, except the ideographic one.
 */
const addresses = [/@/, /:\/\//, /www\./i, /[.。]\p{L}{2}/u, /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d/, /0x[0-9a-f]{6}/i, /[a-z0-9]{25}/i]

/** Characters that are not seen, or that change the order of others. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\u115f\u1160\u3164\uffa0]/u

/** Why an operator's words can't be shown to everybody: an attacker who takes over the panel must not lead users anywhere. */
export function findWordsProblem(words: string, { isLine, ifEmpty }: { isLine: boolean; ifEmpty: string }): string | undefined {
  if (!words.trim()) return ifEmpty
  if (invisible.test(isLine ? words : words.replaceAll(/\r?\n/g, ' '))) return 'Invisible characters are not allowed.'
  const plain = words.normalize('NFKC')
  if (addresses.some((address) => address.test(plain)))
    return 'Links, domains, email and wallet addresses are not allowed. Write a space after each full stop.'
  return undefined
}
