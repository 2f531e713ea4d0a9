import { useEffect, useState } from 'react'

/** The effective theme, light or dark; undefined on the server. */
export function useThemeName(): string | undefined {
  const [theme, setTheme] = useState(() => (typeof document === 'undefined' ? undefined : document.documentElement.dataset.theme))
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(document.documentElement.dataset.theme))
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [])
  return theme
}
