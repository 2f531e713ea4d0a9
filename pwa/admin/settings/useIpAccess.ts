import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { clearIpAccess, type IpAccess, setIpAccess } from '#shared/contract/admin/login.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { toast } from '#pwa/ui/toast.ts'
import { ipAccessQuery } from '../queries.ts'
import { decide } from '../proof/decide.ts'
import { isChangedMeanwhile, toastFailure } from '../toastFailure.ts'

export interface NewList {
  allowedIPs: string[]
  /** The addresses from which it was made. Another administrator may have changed them since. */
  replaces: string[]
}

/** The addresses that may open the back office, and the mutations of that list. */
export function useIpAccess() {
  const queryClient = useQueryClient()
  const note = ({ message, ...access }: IpAccess & { message: string }) => {
    applyAnswer(queryClient, ipAccessQuery, access)
    toast({ title: t('IP Access Updated'), description: translateServerText(message) })
  }
  const refreshProposals = () => queryClient.invalidateQueries({ queryKey: [listProposals.path] })
  const fail = (error: Error, title: string) => {
    toastFailure(error, title)
    if (isChangedMeanwhile(error)) void queryClient.invalidateQueries({ queryKey: ipAccessQuery.queryKey })
  }
  const query = useQuery(ipAccessQuery)
  const replaces = query.data?.allowedIPs
  return {
    query,
    save: useMutation({
      mutationFn: (list: NewList) => decide(setIpAccess, { body: list }),
      onSuccess: note,
      onError: (error) => fail(error, t('IP update failed')),
      onSettled: refreshProposals,
    }),
    clear: useMutation({
      mutationFn: (reason: string) => decide(clearIpAccess, { body: { reason, replaces } }),
      onSuccess: note,
      onError: (error) => fail(error, t('Failed to remove restrictions')),
      onSettled: refreshProposals,
    }),
  }
}
