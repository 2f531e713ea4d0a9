import { refusal } from '#api/platform/errors.ts'
import { normaliseIp } from '#api/platform/http/clientAddress.ts'

/** The addresses of a list in the one form in which they are stored and compared, each once. @throws 400 naming what is no address. */
export function readAllowedIps(texts: readonly string[]): string[] {
  const addresses = texts.map((text) => {
    const address = normaliseIp(text)
    if (!address) throw refusal(400, 'invalid_request', `"${text.trim()}" is not an IP address.`)
    return address
  })
  return [...new Set(addresses)]
}
