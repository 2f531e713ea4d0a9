import {
  type ReactNode,
  type RefObject,
  startTransition,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useIsDrawn } from '#pwa/lib/useIsDrawn.ts'
import { pressAgain, pressDown } from './pressAgain.ts'

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
  const box = useRef<HTMLSpanElement>(null)
  const touched = useRef<Touched | 'arrived'>(undefined)
  /** The button of the placeholder on which a pointer is down. */
  const held = useRef(-1)
  const keep = useCallback((target: Element | null, isPressed: boolean) => {
    if (touched.current === 'arrived') return
    const index = buttonsOf(box).indexOf(target?.closest('button') as HTMLButtonElement)
    if (index < 0) return
    // The focus of a press may be told of after it.
    const wasPressed = touched.current?.index === index && touched.current.isPressed
    touched.current = { index, isPressed: isPressed || wasPressed }
    if (isPressed) buttonsOf(box)[index]?.setAttribute('aria-busy', 'true')
  }, [])
  useEffect(() => {
    // It may have been there before anything could tell.
    keep(document.activeElement, false)
    // As a transition: what is there stays until the chunk is.
    startTransition(() => setDue(true))
  }, [keep])
  const arrive = useCallback(() => {
    const before = touched.current
    touched.current = 'arrived'
    const heldButton = buttonsOf(box)[held.current]
    if (heldButton) return finishPress(heldButton)
    if (before === undefined || before === 'arrived') return
    const button = buttonsOf(box)[before.index]
    // Whoever has gone on to something else meanwhile stays there.
    if (!button || document.activeElement !== document.body) return
    button.focus()
    if (before.isPressed) pressAgain(button)
  }, [])
  return (
    <span
      ref={box}
      className="contents"
      onFocusCapture={({ target }) => keep(target, false)}
      onClickCapture={({ target }) => {
        held.current = -1
        keep(target as Element, true)
      }}
      onPointerDownCapture={({ target }) => {
        held.current = buttonsOf(box).indexOf((target as Element).closest('button') as HTMLButtonElement)
        whenPointerIsUp(() => (held.current = -1))
      }}
    >
      <Suspense fallback={placeholder}>
        {isDue ? (
          <>
            {children}
            <Arrival onArrive={arrive} />
          </>
        ) : (
          placeholder
        )}
      </Suspense>
    </span>
  )
}

/** A press that began on the placeholder of a button. A mouse that comes up on another element than it went down on clicks neither. */
function finishPress(button: HTMLElement): void {
  whenPointerIsUp(({ type, target, pointerType }) => {
    if (type !== 'pointerup' || !button.contains(target as Node)) return
    if (pointerType === 'mouse') pressAgain(button)
    else pressDown(button)
  })
}

function whenPointerIsUp(work: (event: PointerEvent) => void): void {
  const up = new AbortController()
  const listener = (event: PointerEvent) => {
    up.abort()
    work(event)
  }
  for (const type of ['pointerup', 'pointercancel'] as const)
    document.addEventListener(type, listener, { capture: true, signal: up.signal })
}

const buttonsOf = (box: RefObject<HTMLElement | null>) => [...(box.current?.querySelectorAll('button') ?? [])]

/** Comes with what was waited for. */
function Arrival({ onArrive }: { onArrive: () => void }) {
  useLayoutEffect(onArrive, [onArrive])
  return null
}
