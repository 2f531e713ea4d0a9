import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/admin/person.ts'
import { readInbox } from '#api/accounts/inbox/readInbox.ts'
import { requireUser } from '#api/accounts/identity/resetUserPassword.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import type { Page } from '../lists/pagedLists.ts'
import { addNote } from '../person/addNote.ts'
import { readEntries, readHolds } from '../person/personEntries.ts'
import * as parts from '../person/personParts.ts'
import { readPerson } from '../person/readPerson.ts'
import { readRewards } from '../person/readRewards.ts'
import { recordView } from '../person/recordView.ts'

interface Viewing {
  em: EntityManager
  actor: { name: string }
  clientAddress: string
  params: { id: string }
}

/** The account that an administrator looks at, which is recorded. */
export async function viewUser({ em, actor, clientAddress, params }: Viewing) {
  const user = await requireUser(em, params.id)
  await recordView(em, { email: user.email, actor: `admin:${actor.name}`, clientAddress })
  return user
}

/** Routes of the page of one account. */
export function personRoutes(router: Router, { clock, config }: Pick<Services, 'clock' | 'config'>): void {
  route(router, contract.getPerson, async (request) => {
    const { id } = await viewUser(request)
    return readPerson(request.em, { userId: id, now: await clock.dueNow(request.em), productNow: clock.productNow() })
  })

  /** A page of one kind of the account's rows. */
  async function readPart<Row>(
    request: Viewing & { query: Page },
    read: (em: EntityManager, part: parts.PartOf & { email: string }) => Promise<parts.Part<Row>>,
  ): Promise<{ rows: Row[] } & Paging> {
    const { em, query } = request
    const { id, email } = await viewUser(request)
    const { rows, totalCount } = await read(em, { userId: id, email, ...query })
    return { rows, ...presentPaging({ totalCount, ...query }) }
  }

  const confirmations = config.PAYMENT_CONFIRMATIONS
  route(router, contract.listPersonPurchases, (request) =>
    readPart(request, (em, part) => parts.readPurchases(em, { ...part, confirmations })),
  )
  route(router, contract.listPersonDeposits, (request) => readPart(request, parts.readDeposits))
  route(router, contract.listPersonNodes, (request) => readPart(request, parts.readNodes))
  route(router, contract.listPersonRewards, (request) => readPart(request, readRewards))
  route(router, contract.listPersonWithdrawals, (request) => readPart(request, parts.readWithdrawals))
  route(router, contract.listPersonWallets, (request) => readPart(request, parts.readWallets))
  route(router, contract.listPersonMails, (request) => readPart(request, parts.readMails))
  route(router, contract.listUserNotes, (request) => readPart(request, parts.readNotes))
  route(router, contract.listPersonAudit, (request) => readPart(request, readEntries))
  route(router, contract.listPersonHolds, (request) => readPart(request, readHolds))
  route(router, contract.listPersonInbox, (request) =>
    readPart(request, async (em, part) => {
      const { messages, total } = await readInbox(em, { ...part, language: request.language() })
      return { rows: messages, totalCount: total }
    }),
  )

  route(router, contract.addUserNote, async ({ em, actor, clientAddress, params, body }) => {
    const user = await requireUser(em, params.id)
    const author = `admin:${actor.name}`
    const note = addNote(em, { user, text: body.text, author, clientAddress, now: clock.now() })
    return { message: 'The note is saved.', note }
  })
}
