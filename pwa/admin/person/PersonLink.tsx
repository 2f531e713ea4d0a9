import { Link } from '#pwa/ui/Link.tsx'
import { pathOfPerson } from './pathOfPerson.ts'

/** An account in a list, with a link to its page. */
export const PersonLink = ({ id, email }: { id: string; email: string }) => (
  <Link
    to={pathOfPerson(id)}
    title={email}
    className="block font-strong text-ink-12 underline decoration-ink-6 underline-offset-4 hover:decoration-current max-md:min-h-11 max-md:py-2.5 max-md:wrap-anywhere md:truncate md:leading-6"
  >
    {email}
  </Link>
)

/** The same within a sentence. */
export const InlinePersonLink = ({ id, email }: { id: string; email: string }) => (
  <Link
    to={pathOfPerson(id)}
    className="inline-flex items-center wrap-anywhere text-ink-12 underline decoration-ink-6 underline-offset-4 hover:decoration-current max-md:min-h-11"
  >
    {email}
  </Link>
)
