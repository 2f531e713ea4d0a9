import type { EntityManager } from '@mikro-orm/postgresql'
import type { NewPasskey, Passkey } from '#shared/contract/passkeys.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { listPasskeys } from '#api/accounts/passkeys/listPasskeys.ts'
import { lockOwner } from '#api/accounts/passkeys/passkeyOwners.ts'
import { finishRegistration } from '#api/accounts/passkeys/registerPasskey.ts'
import { noSuchPasskey } from '#api/accounts/passkeys/refusals.ts'
import { removePasskey } from '#api/accounts/passkeys/removePasskeys.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import { MIN_PASSKEYS, readSecondFactors } from './readSecondFactors.ts'

interface PasskeyChange {
  administrator: { id: string; name: string }
  clientAddress: string
}

export const tooFewPasskeys = (message: string) => refusal(409, 'passkeys_too_few', message)

/** Adds a passkey. It returns a refusal instead of throwing it, so that the challenge is used up. */
export async function addAdministratorPasskey(
  em: EntityManager,
  { config }: Pick<Services, 'config'>,
  { administrator, clientAddress, ...end }: PasskeyChange & { name: string; passkey: NewPasskey; sessionKey: string; now: Date },
): Promise<DomainError | Passkey> {
  const added = await finishRegistration(em, config, { owner: { realm: 'admin', id: administrator.id }, ...end })
  const refused = added instanceof DomainError
  recordAudit(em, {
    actor: `admin:${administrator.name}`,
    action: refused ? 'admin.passkey_refused' : 'admin.passkey_add',
    target: administrator.name,
    ipAddress: clientAddress,
    after: { passkey: end.name },
  })
  return added
}

/**
 * Removes a passkey, except one of the last two while codes are switched off. It returns a refusal instead of throwing it, so that the
 * confirmation is used up.
 */
export async function removeAdministratorPasskey(
  em: EntityManager,
  { administrator: { id, name }, passkeyId, clientAddress }: PasskeyChange & { passkeyId: string },
): Promise<DomainError | undefined> {
  const owner = { realm: 'admin', id } as const
  await lockOwner(em, owner)
  const passkey = (await listPasskeys(em, owner)).find((one) => one.id === passkeyId)
  if (!passkey) return noSuchPasskey()
  const { factors, usablePasskeys } = await readSecondFactors(em, id)
  const arePasskeysAlone = factors.includes('passkey') && !factors.includes('code')
  if (arePasskeysAlone && usablePasskeys - (passkey.isDisabled ? 0 : 1) < MIN_PASSKEYS)
    return tooFewPasskeys('Codes are switched off, so two passkeys must remain. Please add another one or set up codes first.')
  await removePasskey(em, { owner, passkeyId })
  recordAudit(em, {
    actor: `admin:${name}`,
    action: 'admin.passkey_remove',
    target: name,
    ipAddress: clientAddress,
    before: { passkey: passkey.name },
  })
  return undefined
}
