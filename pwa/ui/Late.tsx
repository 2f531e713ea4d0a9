import {
  type ReactNode,
  type RefObject,
  startTransition,
  Suspense,
  type SyntheticEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useIsDrawn } from '#pwa/lib/useIsDrawn.ts'
import { pressAgain } from './pressAgain.ts'

interface Touched {
  /** Among the buttons of the placeholder. */
  index: number
  isPressed: boolean
}

/**
 * Something in a chunk of its own, fetched once the page stands. Something else of its looks holds its place until then: what is done to a
 * button of that is done to the one that takes its place.
 */
export function Late({ children, placeholder = null }: { children: ReactNode; placeholder?: ReactNode }) {
  const [isDue, setDue] = useState(useIsDrawn())
  // As a transition: what is there stays until the chunk is.
  useEffect(() => startTransition(() => setDue(true)), [])
  const box = useRef<HTMLSpanElement>(null)
  const touched = useRef<Touched | 'arrived'>(undefined)
  const keep = ({ target, type }: SyntheticEvent) => {
    if (touched.current === 'arrived') return
    const index = buttonsOf(box).indexOf((target as Element).closest('button')!)
    if (index >= 0) touched.current = { index, isPressed: type === 'click' }
  }
  const arrive = useCallback(() => {
    const before = touched.current
    touched.current = 'arrived'
    if (before === undefined || before === 'arrived') return
    const button = buttonsOf(box)[before.index]
    // Whoever has gone on to something else meanwhile stays there.
    if (!button || document.activeElement !== document.body) return
    button.focus()
    if (before.isPressed) pressAgain(button)
  }, [])
  return (
    <span ref={box} className="contents" onFocusCapture={keep} onClickCapture={keep}>
      <Suspense fallback={placeholder}>
        {isDue ? (
          <>
            {children}
            {placeholder && <Arrival onArrive={arrive} />}
          </>
        ) : (
          placeholder
        )}
      </Suspense>
    </span>
  )
}

const buttonsOf = (box: RefObject<HTMLElement | null>) => [...(box.current?.querySelectorAll('button') ?? [])]

/** Comes with what was waited for. */
function Arrival({ onArrive }: { onArrive: () => void }) {
  useLayoutEffect(onArrive, [onArrive])
  return null
}
