/** What a finger does to a button, for one that could not answer it at the time: some answer the click, menus and tabs what comes before it. */
export function pressAgain(button: HTMLElement): void {
  const options = { bubbles: true, cancelable: true, pointerType: 'mouse' }
  button.dispatchEvent(new PointerEvent('pointerdown', options))
  button.dispatchEvent(new MouseEvent('mousedown', options))
  button.click()
}
