import { type ComponentType, lazy, useState } from 'react'
import { useCurrentLanguage } from '#pwa/i18n/language.ts'
import { loadOnceReachable } from '#pwa/lib/connection.ts'

/**
 * A component in a chunk of its own. Once preloaded it renders at once; a component of React's `lazy` would commit its fallback
 * first, and React keeps a fallback for 300 ms (FALLBACK_THROTTLE_MS). Without a connection it waits for it: its failure would replace
 * the whole page.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined
  const preload = async () => ({ default: (loaded = await load()) })
  const LazyPart: ComponentType<Props> = lazy(() => loadOnceReachable(preload))
  // For as long as it is mounted it stays the same component: another one would lose its state.
  function Part(props: Props) {
    const [Component] = useState(() => loaded ?? LazyPart)
    // Some are elements that never change, so that the server's markup stays until the chunk is loaded.
    useCurrentLanguage()
    return <Component {...props} />
  }
  return Object.assign(Part, { preload })
}
