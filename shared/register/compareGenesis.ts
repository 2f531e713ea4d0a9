import type { EntryOf } from './entryForms.ts'

/** What the configuration says of the site and the tokens. */
export interface ConfiguredGenesis {
  origin: string
  usdt: string
  xcr: string
}

/**
 * Compares the first entry of a log, which holds for ever, with the configuration.
 *
 * @returns a sentence about what differs, so that every verification fails; undefined if they agree.
 */
export function compareGenesis(
  { origin, payment, reward }: Pick<EntryOf<'genesis'>, 'origin' | 'payment' | 'reward'>,
  configured: ConfiguredGenesis,
): string | undefined {
  const values: [variable: string, named: string, is: string][] = [
    ['PUBLIC_URL', origin, configured.origin],
    ['USDT_ADDRESS', payment.address, configured.usdt.toLowerCase()],
    ['XCR_TOKEN_ADDRESS', reward.address, configured.xcr.toLowerCase()],
  ]
  const different = values.find(([, named, is]) => named !== is)
  if (!different) return undefined
  const [variable, named, is] = different
  return `The public register names ${named}, and ${variable} says ${is}: every visitor's check of it fails.`
}
