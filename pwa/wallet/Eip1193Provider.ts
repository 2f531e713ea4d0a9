/** A wallet's provider (EIP-1193), as far as this product uses it: injected, WalletConnect's or the demo wallet's. */
export interface Eip1193Provider {
  request(call: { method: string; params?: readonly unknown[] | object | undefined }): Promise<unknown>
  on(event: string, listener: (data: never) => void): unknown
  /** Some wallets have none. */
  removeListener?(event: string, listener: (data: never) => void): unknown
}
