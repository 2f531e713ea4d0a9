import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { ApiError, isUnauthorized, Proposed } from '#shared/contract/client.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { t } from '#pwa/i18n/t.ts'
import { passkeyErrorText } from '#pwa/lib/passkeys.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { ApprovalNote } from '../proposals/ApprovalNote.tsx'
import { isChangedMeanwhile, refusedTitle, toastProposed } from '../toastFailure.ts'
import { type AdminProof, useAdminProof } from './useAdminProof.tsx'

interface ProvenDialogProps {
  title: string
  description: string
  /** The label of the button that does it. */
  action: string
  isDangerous?: boolean
  /** From the second owner on it is only proposed. */
  needsApproval?: boolean
  /** Whether the fields are filled in. */
  isReady?: boolean
  run: (proof: Awaited<ReturnType<AdminProof['read']>>) => Promise<unknown>
  /** What has happened. */
  success: { title: string; description?: string }
  /** The query that the change concerns. */
  changes: QueryKey
  failure: string
  /** Codes of refusals after which nothing is left to do here. */
  overCodes?: readonly string[]
  onClose: () => void
  children?: ReactNode
}

/** A change of who has access, which the administrator confirms with what the login asks for. */
export function ProvenDialog({
  title,
  description,
  action,
  isDangerous = false,
  needsApproval = false,
  isReady = true,
  run,
  success,
  changes,
  failure,
  overCodes = [],
  onClose,
  children,
}: ProvenDialogProps) {
  const queryClient = useQueryClient()
  const formId = useId()
  const { fields, isGiven, read, clearRefused } = useAdminProof()
  const change = useMutation({
    mutationFn: async () => run(await read()),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: changes })
      toast(success)
      onClose()
    },
    onError: (error) => {
      if (isUnauthorized(error)) return
      if (error instanceof Proposed) {
        toastProposed(error)
        onClose()
        void queryClient.invalidateQueries({ queryKey: [listProposals.path] })
        return
      }
      clearRefused(error)
      toast({ title: refusedTitle(error, failure), description: passkeyErrorText(error), destructive: true })
      if (isChangedMeanwhile(error)) void queryClient.invalidateQueries({ queryKey: changes })
      if (!(error instanceof ApiError && error.code !== undefined && overCodes.includes(error.code))) return
      onClose()
      void queryClient.invalidateQueries({ queryKey: changes })
    },
  })
  return (
    <Dialog
      open
      isHeld={change.isPending}
      onOpenChange={onClose}
      title={title}
      description={
        <>
          {description}
          {needsApproval && <ApprovalNote />}
        </>
      }
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={change.isPending}>
            {t('Cancel')}
          </Button>
          <Button
            type="submit"
            form={formId}
            variant={isDangerous ? 'danger' : 'primary'}
            disabled={!isGiven || !isReady}
            isPending={change.isPending}
            pendingLabel={t('Saving...')}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (isGiven && isReady) change.mutate()
        }}
      >
        {children}
        {fields}
      </form>
    </Dialog>
  )
}
