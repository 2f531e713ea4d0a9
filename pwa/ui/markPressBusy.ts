let lastPressed: Element | null = null
if (typeof document !== 'undefined')
  document.addEventListener('click', ({ target }) => (lastPressed = (target as Element).closest('button, a')), true)

/** Marks the last pressed button as busy until the returned function is called. */
export function markPressBusy(): () => void {
  const pressed = lastPressed
  pressed?.setAttribute('aria-busy', 'true')
  return () => pressed?.removeAttribute('aria-busy')
}
