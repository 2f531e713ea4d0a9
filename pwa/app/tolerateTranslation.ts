/** The <font> elements that a browser's translation put in place of a text node. */
const replacements = new WeakMap<Node, ChildNode>()

/**
 * Browser translations replace text nodes by <font> elements behind React's back. React then updates detached nodes, which nobody
 * sees, and throws when it removes one (facebook/react issue 11538). This patches the DOM methods: removals apply to the
 * replacement, and a changed text is put back, to be translated again.
 */
export function tolerateTranslation(): void {
  const changes = new MutationObserver((records) => {
    for (const { target } of records) restoreText(target)
  })
  const observer = new MutationObserver(note)
  observer.observe(document.documentElement, { childList: true, subtree: true })

  const { removeChild, insertBefore } = Node.prototype
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    note(observer.takeRecords())
    const current = replacementOf(child)
    if (current.parentNode === this) removeChild.call(this, current)
    return child
  }
  Node.prototype.insertBefore = function <Child extends Node>(this: Node, child: Child, before: Node | null): Child {
    note(observer.takeRecords())
    const current = before && replacementOf(before)
    // If the reference node is gone as well, appending is better than throwing.
    return insertBefore.call(this, child, current?.parentNode === this ? current : null) as Child
  }

  function note(records: MutationRecord[]): void {
    let added: ChildNode | undefined
    for (const { addedNodes, removedNodes } of records) {
      for (const node of addedNodes) added = node.nodeName === 'FONT' ? (node as ChildNode) : undefined
      for (const node of removedNodes) {
        // The translation inserts the element right before the removed text, or both change in one record.
        if (!added || node.nodeType !== Node.TEXT_NODE || node.isConnected) continue
        replacements.set(node, added)
        changes.observe(node, { characterData: true })
        added = undefined
      }
    }
  }
}

const replacementOf = (node: Node): Node => (node.parentNode ? node : (replacements.get(node) ?? node))

function restoreText(text: Node): void {
  const replacement = replacements.get(text)
  if (!replacement?.parentNode) return
  replacements.delete(text)
  replacement.replaceWith(text)
}
