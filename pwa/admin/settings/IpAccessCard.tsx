import { X } from '#pwa/ui/icons.ts'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { IpAccess } from '#shared/contract/admin/login.ts'
import { Proposed } from '#shared/contract/client.ts'
import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { Badge } from '#pwa/ui/Badge.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { returnFocus } from '#pwa/ui/returnFocus.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { ProposedChange } from '../proposals/ProposedChange.tsx'
import { ApprovalNote } from '../proposals/ApprovalNote.tsx'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { isDecided } from '../toastFailure.ts'
import { findIpProblem } from './findIpProblem.ts'
import { SettingError } from './SettingError.tsx'
import { type NewList, useIpAccess } from './useIpAccess.ts'

/** The addresses that may open the back office. */
export function IpAccessCard() {
  const ipAccess = useIpAccess()
  const { data: access, error, refetch } = ipAccess.query
  return (
    <Card>
      <CardHeader title={t('Admin IP access control')}>
        {access &&
          (access.isRestricted ? (
            <StatusWord tone="done">{t('Restricted')}</StatusWord>
          ) : (
            <StatusWord tone="waiting">{t('Open access')}</StatusWord>
          ))}
      </CardHeader>
      {error && !access && <SettingError error={error} onRetry={() => void refetch()} />}
      {!error && !access && <Skeleton className="h-52" />}
      <ProposedChange actions={['admin.ip_access']} />
      {access && <IpList access={access} {...ipAccess} />}
    </Card>
  )
}

/** A change that needs confirmation. */
type Question = { about: 'lockout'; next: NewList } | { about: 'clear' }

function IpList({ access, save, clear }: { access: IpAccess } & Pick<ReturnType<typeof useIpAccess>, 'save' | 'clear'>) {
  const { allowedIPs, initialIPs, currentIP, isRestricted, maxIPs } = access
  const [typed, setTyped] = useState('')
  /** The address that was refused. Its problem is read from the present list, which may have changed since. */
  const [refused, setRefused] = useState<string>()
  const problem = refused === undefined ? undefined : findIpProblem(refused, access)
  const [question, setQuestion] = useState<Question | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const isPending = save.isPending || clear.isPending

  const close = () => setQuestion(null)
  const store = (next: NewList) =>
    save.mutate(next, {
      onSuccess: () => setTyped(''),
      onError: (error) => error instanceof Proposed && setTyped(''),
      onSettled: close,
    })
  /** A list without the administrator's own address would lock them out, so it needs confirmation. */
  const change = (next: string[]) => {
    const list = { allowedIPs: next, replaces: allowedIPs }
    return next.includes(currentIP) ? store(list) : setQuestion({ about: 'lockout', next: list })
  }

  function handleAdd(event: FormEvent) {
    event.preventDefault()
    const address = typed.trim()
    const found = findIpProblem(address, access)
    setRefused(found && address)
    if (found) {
      toast({ title: t('Invalid IP Address'), description: found, destructive: true })
      field.current?.focus()
      return
    }
    change([...allowedIPs, address])
  }

  // The list cannot be stored empty: removing the last address removes the restriction.
  const remove = (address: string) =>
    allowedIPs.length === 1 ? setQuestion({ about: 'clear' }) : change(allowedIPs.filter((one) => one !== address))

  return (
    <div className="flex flex-col gap-5">
      <p className="text-14 text-ink-10">
        {t(
          isRestricted
            ? 'Only these addresses can open the admin panel and its login.'
            : 'Any address can open the admin panel and its login. Add one to restrict access.',
        )}{' '}
        <T
          text="Your current address is {address}."
          address={
            <strong translate="no" className="exact font-strong text-ink-12">
              {currentIP}
            </strong>
          }
        />
      </p>
      {allowedIPs.length > 0 && (
        <AllowedAddresses addresses={allowedIPs} own={currentIP} isPending={isPending} onRemove={remove} />
      )}
      <form noValidate onSubmit={handleAdd} className="flex flex-col gap-3">
        <TextField
          ref={field}
          label={t('Add an IP address')}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setRefused(undefined)
          }}
          error={problem}
          hint={t('{count} of at most {most} in use.', { count: allowedIPs.length, most: maxIPs })}
          inputMode="decimal"
          autoComplete="off"
          spellCheck={false}
          placeholder="192.168.1.10"
          className="exact"
        />
        {isRestricted && (
          <p className="text-14 empty:hidden [&>span]:mt-0">
            <ApprovalNote />
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" isPending={save.isPending} pendingLabel={t('Saving...')}>
            {t('Add address')}
          </Button>
          {!allowedIPs.includes(currentIP) && allowedIPs.length < maxIPs && (
            <Button variant="secondary" disabled={isPending} onClick={() => change([...allowedIPs, currentIP])}>
              {t('Add my address')}
            </Button>
          )}
          {isRestricted && (
            <Button variant="quiet" className="ml-auto" disabled={isPending} onClick={() => setQuestion({ about: 'clear' })}>
              {t('Remove all restrictions')}
            </Button>
          )}
        </div>
      </form>
      {initialIPs.length > 0 && (
        <p className="border-t border-ink-5 pt-3 text-12 text-ink-9">
          {t('Set during setup:')}{' '}
          <span translate="no" className="exact">
            {initialIPs.join(', ')}
          </span>
        </p>
      )}
      <ConfirmDialog
        open={question?.about === 'lockout'}
        onOpenChange={close}
        title={t('Lock out {address}?', { address: currentIP })}
        description={t(
          'The new list does not include your own address. Once it is saved, the admin panel locks you out here immediately; only an administrator at {addresses}, or an operator on the server, can let you in again.',
          { addresses: question?.about === 'lockout' ? question.next.allowedIPs.join(t(' or ')) : '' },
        )}
        confirmLabel={t('Save without my address')}
        pendingLabel={t('Saving...')}
        isPending={save.isPending}
        onConfirm={() => question?.about === 'lockout' && store(question.next)}
      />
      {question?.about === 'clear' && (
        <ReasonDialog
          about="clear IP addresses"
          title={t('Remove all IP restrictions?')}
          description={
            <>
              {t('Any address will be able to open the admin panel and its login. {addresses} will be removed from the list.', {
                addresses: allowedIPs.join(', '),
              })}
              <ApprovalNote />
            </>
          }
          keepLabel={t('Cancel')}
          label={t('Remove all restrictions')}
          pendingLabel={t('Removing...')}
          isDanger
          isPending={clear.isPending}
          onDecide={(reason) => clear.mutate(reason, { onSettled: (_access, error) => isDecided(error) && close() })}
          onClose={close}
        />
      )}
    </div>
  )
}

interface AllowedAddressesProps {
  addresses: readonly string[]
  /** That of this administrator. */
  own: string
  isPending: boolean
  onRemove: (address: string) => void
}

function AllowedAddresses({ addresses, own, isPending, onRemove }: AllowedAddressesProps) {
  const pressed = useRef<Element | null>(null)
  // The pressed button is disabled meanwhile and gone after. One that is still there was not answered: another change ends then.
  useEffect(() => {
    if (isPending || !pressed.current) return
    if (document.activeElement === document.body && !pressed.current.isConnected) returnFocus(pressed.current)
    pressed.current = null
  }, [isPending])
  return (
    <ul aria-label={t('Allowed IP addresses')} className="divide-y divide-ink-5 rounded-input border border-ink-5">
      {addresses.map((address) => (
        <li key={address} className="flex min-h-11 items-center gap-2 pl-4">
          <span translate="no" className="exact min-w-0 flex-1">
            {address}
          </span>
          {address === own && <Badge tone="accent">{t('YOU')}</Badge>}
          <button
            type="button"
            aria-label={t('Remove {address}', { address })}
            disabled={isPending}
            onClick={({ currentTarget }) => {
              pressed.current = currentTarget
              onRemove(address)
            }}
            className="grid size-11 shrink-0 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-red disabled:text-ink-7"
          >
            <X size={18} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
