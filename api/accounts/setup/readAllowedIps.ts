import { refusal } from '#api/platform/errors.ts'
import { normaliseIp } from '#api/platform/http/clientAddress.ts'

/** Normalizes a list of addresses and removes duplicates. @throws 400 naming an invalid entry. */
export function readAllowedIps(texts: readonly string[]): string[] {
  const addresses = texts.map((text) => {
    const address = normaliseIp(text)
    if (!address) {
      const message = `"${text.trim()}" is not an IP address.`
      throw refusal(400, 'invalid_request', message, { allowedIps: message })
    }
    return address
  })
  return [...new Set(addresses)]
}
