import { isDeepStrictEqual } from 'node:util'
import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import { LockMode } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/admin/incidents.ts'
import type { Input } from '#shared/contract/endpoint.ts'
import { getStatus } from '#shared/contract/status.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { Incident } from '#api/entities/Incident.ts'
import { newId } from '#api/platform/db/newId.ts'
import { refusal } from '#api/platform/errors.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { requireShown } from '#api/platform/http/requireShown.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { listIncidents } from '../lists/listIncidents.ts'

type Words = Input<typeof contract.startIncident>['body']

/** What an operator says about the product on the status page. */
export function incidentRoutes(router: Router, { clock }: Pick<Services, 'clock'>): void {
  route(router, contract.listIncidents, async ({ em }) => ({ incidents: await listIncidents(em, clock.now()) }))

  route(router, contract.startIncident, async ({ em, actor, body, clientAddress }) => {
    const [id, now, createdBy] = [newId(), clock.now(), `admin:${actor.name}`]
    em.create(Incident, { id, ...columnsOf(body), startedAt: now, updatedAt: now, resolvedAt: null, createdBy })
    recordAudit(em, { actor: createdBy, action: 'incident.start', target: id, ipAddress: clientAddress, after: body })
    await tellPages(em)
    return { message: 'The incident is on the status page.' }
  })

  route(router, contract.updateIncident, async ({ em, actor, params: { id }, body: { replaces, ...body }, clientAddress }) => {
    const incident = await requireIncident(em, id)
    const before = wordsOf(incident)
    // Both may want the same, or the answer of the first call was lost.
    if (!isDeepStrictEqual(before, body)) requireShown(incident.updatedAt.toISOString(), replaces?.toISOString())
    recordAudit(em, {
      actor: `admin:${actor.name}`,
      action: 'incident.update',
      target: id,
      ipAddress: clientAddress,
      before,
      after: body,
    })
    em.assign(incident, { ...columnsOf(body), updatedAt: clock.now() })
    await tellPages(em)
    return { message: 'The status page shows the new text.' }
  })

  route(router, contract.resolveIncident, async ({ em, actor, params: { id }, clientAddress }) => {
    const incident = await requireIncident(em, id)
    if (incident.resolvedAt !== null) throw refusal(409, 'incident_resolved', 'The incident was already resolved.')
    incident.resolvedAt = clock.now()
    recordAudit(em, {
      actor: `admin:${actor.name}`,
      action: 'incident.resolve',
      target: id,
      ipAddress: clientAddress,
      after: { resolvedAt: incident.resolvedAt },
    })
    await tellPages(em)
    return { message: 'The status page says that it is resolved.' }
  })
}

const columnsOf = ({ title, text }: Words) => ({ titleEn: title.en, titleKo: title.ko, textEn: text.en, textKo: text.ko })

const wordsOf = ({ titleEn, titleKo, textEn, textKo }: Incident): Words => ({
  title: { en: titleEn, ko: titleKo ?? null },
  text: { en: textEn, ko: textKo ?? null },
})

/** Locked, so that each audit entry starts from the previous one's words. */
async function requireIncident(em: EntityManager, id: string): Promise<Incident> {
  const incident = await em.findOne(Incident, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!incident) throw refusal(404, 'not_found', 'Incident not found.')
  return incident
}

const tellPages = (em: EntityManager) => recordChange(em, { keys: [getStatus.path, contract.listIncidents.path] })
