import { ApiError } from '#shared/contract/client.ts'
import type { Objection } from '#shared/objections.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { Notice } from '#pwa/ui/Notice.tsx'

type ToldObjection = ApiError['objections'][number]

/** What speaks against a decision; empty if it was refused for another reason, which nobody overrides. */
export const objectionsOf = (error: unknown): readonly ToldObjection[] => (error instanceof ApiError ? error.objections : [])

/** For the request that overrides them: the server refuses it if anything else holds by then. */
export const nameObjections = (shown: readonly ToldObjection[]): { overridden: Objection[] } => ({
  overridden: shown.map(({ code, facts }) => ({ code, facts })),
})

/** Nothing while there are none. */
export const Objections = ({ objections }: { objections: readonly ToldObjection[] }) =>
  objections.length > 0 && (
    <Notice tone="warning" title={t('Refused')}>
      <ul className="flex flex-col gap-2">
        {objections.map(({ message }) => (
          <li key={message} className="[overflow-wrap:anywhere]">
            {translateServerText(message)}
          </li>
        ))}
      </ul>
    </Notice>
  )
