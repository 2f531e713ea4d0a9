import { address, chainId, hash, type Hex } from './values.ts'

interface PayingWallet {
  origin: string
  genesisHash: Uint8Array
  /** The chain of the rewards. */
  chain: number
  wallet: Hex
}

/** The text that a wallet signs once to show that the seller pays XCR from it. It is valid for one log. */
export const payingWalletMessage = ({ origin, genesisHash, chain, wallet }: PayingWallet): string =>
  [
    `${origin} pays XCR from this wallet.`,
    '',
    `Genesis: ${hash.write(genesisHash)}`,
    `Chain: ${chainId.write(chain)}`,
    `Wallet: ${address.write(wallet)}`,
  ].join('\n')
