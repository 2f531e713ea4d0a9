import { currentGeneration } from '#pwa/lib/offlineSnapshot.ts'

/** Another account has logged in, or nobody is anymore: what the site answers is not about the account that began. */
export class AccountChanged extends Error {
  override name = 'AccountChanged'
}

/** Returns a function that throws once the account has changed, in this tab or in another: all of them have one session. */
export function watchAccount(): () => void {
  const began = currentGeneration()
  return () => {
    if (currentGeneration() !== began) throw new AccountChanged('the account has changed meanwhile')
  }
}
