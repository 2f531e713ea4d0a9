/** What had the focus, newest last. */
const trail: EventTarget[] = []
const TRAIL_LENGTH = 20

if (typeof document !== 'undefined')
  document.addEventListener('focusin', ({ target }) => {
    trail.push(target!)
    if (trail.length > TRAIL_LENGTH) trail.shift()
  })

/** The last focused element. A button that is disabled while it loads a dialog's content has lost the focus by then. */
export const readLastFocused = (): EventTarget | null => trail.at(-1) ?? null

/** Whatever is open above the page, the topmost last, without the given one. */
export const findOpenDialogs = (except: EventTarget | null): Element[] =>
  [...document.querySelectorAll('[data-holds-page][data-state="open"]')].filter((one) => one !== except)

/**
 * Returns the focus to what opened a dialog. The item of a menu is gone by then, but not the button of the menu. A button may be gone
 * too, or disabled, because the page has changed: then the keyboard begins at the content, not at the top of the page.
 */
export function returnFocus(opener: EventTarget | null): void {
  const isGone = opener instanceof Element && !opener.isConnected
  const candidates = !opener || (isGone && opener.closest('[role=menu], [data-holds-page]')) ? trail.toReversed() : [opener]
  const taken = candidates.find(takeFocus)
  if (taken) return followRemoval(taken as HTMLElement)
  // Another dialog may have it by now.
  if (document.activeElement !== document.body) return
  focusContent()
}

/** A row may go with its button a moment later, once the list is fetched again after a decision. */
function followRemoval(element: HTMLElement): void {
  const observer = new MutationObserver(() => {
    if (document.activeElement === element) return
    observer.disconnect()
    if (document.activeElement === document.body && !element.isConnected) focusContent()
  })
  observer.observe(document.body, { childList: true, subtree: true })
}

/**
 * Focuses the topmost dialog, else the page's content, so that the keyboard does not begin at the top of the page. The content only for
 * this once: otherwise each press beside its controls would focus it.
 */
export function focusContent(): void {
  const dialog = findOpenDialogs(null).at(-1)
  if (dialog) return void takeFocus(dialog)
  const content = document.querySelector('main')
  if (!content) return
  content.tabIndex = -1
  content.addEventListener('blur', () => content.removeAttribute('tabindex'), { once: true })
  takeFocus(content)
}

function takeFocus(element: EventTarget | null): boolean {
  if (element instanceof HTMLElement && element !== document.body) element.focus({ preventScroll: true })
  return element === document.activeElement
}
