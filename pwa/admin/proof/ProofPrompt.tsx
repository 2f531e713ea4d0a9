import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { passkeyErrorText } from '#pwa/lib/passkeys.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { adminPasskeysQuery } from '../queries.ts'
import { useAdminProof } from './useAdminProof.tsx'
import { type AskedProof, isProofRefused, ProofDismissed, useAskedProof } from './decide.ts'

/** Asks for the code or passkey of a call that the administrator decides alone, above whatever dialog has made it. */
export function ProofPrompt() {
  const asked = useAskedProof((state) => state.asked)
  const { isPending } = useQuery({ ...adminPasskeysQuery, enabled: asked !== null })
  useEffect(() => dismiss, [])
  return asked && !isPending ? <Prompt asked={asked} /> : null
}

function close(): void {
  useAskedProof.setState({ asked: null })
}

function dismiss(): void {
  useAskedProof.getState().asked?.failed(new ProofDismissed())
  close()
}

function Prompt({ asked }: { asked: AskedProof }) {
  const formId = useId()
  const { fields, isGiven, read, clearRefused } = useAdminProof()
  const confirm = useMutation({
    mutationFn: async () => {
      const proof = await read()
      // What the call itself answers is for the dialog that has made it.
      await asked.send(proof).then(
        (answer) => {
          close()
          asked.done(answer)
        },
        (error: unknown) => {
          if (isProofRefused(error)) throw error
          close()
          asked.failed(error)
        },
      )
    },
    onError: (error) => clearRefused(error),
  })
  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (isGiven) confirm.mutate()
  }
  return (
    <Dialog
      open
      isHeld={confirm.isPending}
      onOpenChange={dismiss}
      title={t("Confirm that it's you")}
      description={t('Nobody else has to approve this. It takes effect as soon as you confirm it.')}
      actions={
        <>
          <Button variant="secondary" onClick={dismiss} disabled={confirm.isPending}>
            {t('Back')}
          </Button>
          <Button type="submit" form={formId} disabled={!isGiven} isPending={confirm.isPending} pendingLabel={t('Confirming...')}>
            {t('Confirm')}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={handleSubmit}>
        {confirm.error && <Notice tone="error">{passkeyErrorText(confirm.error)}</Notice>}
        {fields}
      </form>
    </Dialog>
  )
}
