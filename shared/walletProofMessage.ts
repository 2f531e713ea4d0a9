export interface WalletProof {
  /** The site's host, so that a signature for it is invalid on other sites. */
  host: string
  email: string
  address: `0x${string}`
  /** ISO UTC, by the server's clock. */
  timestamp: string
}

/** The text that a wallet signs to prove that it belongs to the account. Compared byte for byte, so it has one definition. */
export function walletProofMessage({ host, email, address, timestamp }: WalletProof): string {
  return [
    `${host} asks you to confirm your wallet.`,
    '',
    'This costs nothing and moves nothing.',
    '',
    `Account: ${email}`,
    `Wallet: ${address.toLowerCase()}`,
    `Time: ${timestamp}`,
  ].join('\n')
}

/** Parses a message; undefined unless `walletProofMessage` would produce exactly this text. */
export function parseWalletProofMessage(message: string): WalletProof | undefined {
  const match =
    /^(\S+) asks you to confirm your wallet\.\n\nThis costs nothing and moves nothing\.\n\nAccount: (\S+)\nWallet: (0x[0-9a-f]{40})\nTime: (\S+)$/.exec(
      message,
    )
  if (!match) return undefined
  const [, host, email, address, timestamp] = match as unknown as [string, string, string, `0x${string}`, string]
  return { host, email, address, timestamp }
}
