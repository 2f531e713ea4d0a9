import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { isUnauthorized } from '#shared/contract/client.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { shorten } from '#shared/address.ts'
import { typedAddress } from '#shared/typedAddress.ts'
import { T } from '#pwa/i18n/T.tsx'
import { msg, t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { errorText, failureTitle, mayRepeat } from '#pwa/lib/errorText.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'

/** Registers the account's wallet address as typed. */
export function AddressForm() {
  const queryClient = useQueryClient()
  const connected = useWallet((wallet) => wallet.address)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const saving = useMutation({
    mutationFn: (walletAddress: `0x${string}`) => api(updateWallet, { body: { walletAddress } }),
    onSuccess: (user) => {
      applyAnswer(queryClient, authUserQuery, user)
      const description = user.walletAddress ? shorten(user.walletAddress) : undefined
      toast({ title: t('Wallet Address Registration Completed'), description })
    },
    onError: (error) => {
      if (isUnauthorized(error)) return
      toast({
        title: failureTitle(error, t('Wallet Address Registration Failed')),
        description: errorText(error, t('Please try again.'), mayRepeat),
        destructive: true,
      })
    },
  })

  function type(text: string) {
    setTyped(text)
    setProblem(undefined)
  }

  function save(event: FormEvent) {
    event.preventDefault()
    if (typed.trim() === '') return setProblem(msg('Please enter wallet address.'))
    const parsed = typedAddress.safeParse(typed.trim())
    if (!parsed.success) return setProblem(parsed.error.issues[0]?.message)
    saving.mutate(parsed.data)
  }

  return (
    <form noValidate onSubmit={save} className="flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <TextField
          label={t('Withdrawal address')}
          hint={
            connected && connected !== typed ? (
              <button
                type="button"
                className="-my-2.5 min-h-11 text-left text-accent underline-offset-2 hover:underline"
                onClick={() => type(connected)}
              >
                <T text="Use the connected wallet {address}" address={<span translate="no">{shorten(connected)}</span>} />
              </button>
            ) : (
              t('Your own wallet. It signs every withdrawal, and XCR goes only to it.')
            )
          }
          error={problem}
          placeholder="0x…"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => type(event.target.value)}
          className="exact"
        />
      </div>
      <Button type="submit" variant="secondary" className="mt-[26px] min-h-12" isPending={saving.isPending}>
        {t('Save')}
      </Button>
    </form>
  )
}
