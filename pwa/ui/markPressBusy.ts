let lastPressed: Element | null = null
if (typeof document !== 'undefined')
  document.addEventListener('click', ({ target }) => (lastPressed = (target as Element).closest('button, a')), true)

/** Marks what was pressed last as busy until the function that it returns is called. */
export function markPressBusy(): () => void {
  const pressed = lastPressed
  pressed?.setAttribute('aria-busy', 'true')
  return () => pressed?.removeAttribute('aria-busy')
}
