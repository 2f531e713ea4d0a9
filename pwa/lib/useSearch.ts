import { useMemo } from 'react'
import { useLocation } from 'react-router-dom'
import { useGo } from './useGo.ts'

/** The query parameters of the current page and a setter. */
export function useSearch(): [URLSearchParams, (next: URLSearchParams) => void] {
  const { pathname, search } = useLocation()
  const go = useGo()
  return [useMemo(() => new URLSearchParams(search), [search]), (next) => void go(`${pathname}?${next}`)]
}
