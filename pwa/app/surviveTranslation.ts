/** The <font> elements that a browser's translation put in place of a text node. */
const stands = new WeakMap<Node, ChildNode>()

/**
 * Browser translations replace text nodes by <font> elements behind React's back. React then updates detached nodes, which nobody
 * sees, and throws when it removes one (facebook/react issue 11538). This patches the DOM methods: removals apply to the
 * replacement, and a changed text is put back, to be translated again.
 */
export function surviveTranslation(): void {
  const changes = new MutationObserver((records) => {
    for (const { target } of records) comeBack(target)
  })
  const replacements = new MutationObserver(note)
  replacements.observe(document.documentElement, { childList: true, subtree: true })

  const { removeChild, insertBefore } = Node.prototype
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    note(replacements.takeRecords())
    const there = standingFor(child)
    if (there.parentNode === this) removeChild.call(this, there)
    return child
  }
  Node.prototype.insertBefore = function <Child extends Node>(this: Node, child: Child, before: Node | null): Child {
    note(replacements.takeRecords())
    const there = before && standingFor(before)
    // If the reference node is gone as well, appending is better than throwing.
    return insertBefore.call(this, child, there?.parentNode === this ? there : null) as Child
  }

  function note(records: MutationRecord[]): void {
    let added: ChildNode | undefined
    for (const { addedNodes, removedNodes } of records) {
      for (const node of addedNodes) added = node.nodeName === 'FONT' ? (node as ChildNode) : undefined
      for (const node of removedNodes) {
        // The translation inserts the element right before the removed text, or both change in one record.
        if (!added || node.nodeType !== Node.TEXT_NODE || node.isConnected) continue
        stands.set(node, added)
        changes.observe(node, { characterData: true })
        added = undefined
      }
    }
  }
}

const standingFor = (node: Node): Node => (node.parentNode ? node : (stands.get(node) ?? node))

function comeBack(text: Node): void {
  const stand = stands.get(text)
  if (!stand?.parentNode) return
  stands.delete(text)
  stand.replaceWith(text)
}
