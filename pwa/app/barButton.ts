/** The classes of an icon button in the top bar. */
export const barButton =
  'grid size-11 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12'
