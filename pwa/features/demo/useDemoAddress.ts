/** Where test money goes: to the registered wallet. */
export function useDemoAddress(registered: `0x${string}` | null | undefined): `0x${string}` | null {
  return registered ?? null
}
