/** The query parameters of another tab: the search by email stays, because people follow one account through the lists. */
export function paramsOfTab(current: URLSearchParams, tab: string): URLSearchParams {
  const email = current.get('email')
  return new URLSearchParams({ tab, ...(email && { email }) })
}
