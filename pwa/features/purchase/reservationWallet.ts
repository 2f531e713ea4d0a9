/** The wallet a reservation was frozen for, kept for the case that the account registers another before paying. */
const STORAGE_KEY = 'reservation_wallet'

type Address = `0x${string}`

export function noteReservationWallet(reservationId: string, wallet: Address): void {
  try {
    localStorage.setItem(STORAGE_KEY, `${reservationId} ${wallet}`)
  } catch {
    // Without storage it is known while the page is open.
  }
}

export function reservationWallet(reservationId: string): Address | null {
  try {
    const [id, wallet] = localStorage.getItem(STORAGE_KEY)?.split(' ') ?? []
    return id === reservationId && wallet ? (wallet as Address) : null
  } catch {
    return null
  }
}
