import { useMemo } from 'react'
import { useLocation } from 'react-router-dom'
import { useGo } from './useGo.ts'

/** What the address asks for behind its `?`, and the way to ask for something else of the same page. */
export function useSearch(): [URLSearchParams, (next: URLSearchParams) => void] {
  const { pathname, search } = useLocation()
  const go = useGo()
  return [useMemo(() => new URLSearchParams(search), [search]), (next) => void go(`${pathname}?${next}`)]
}
