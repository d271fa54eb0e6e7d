// Draws text while it arrives. Only createElement and text nodes, never markup; blocks that are
// complete are left alone, so that what a person selected stays selected.

import { make } from "./dom.js";
import { inlineNodes, tricksShown } from "./inline.js";
import { blocksOf } from "./markdown.js";

/** One message that grows. `say` takes the whole text so far, it may only get longer. */
export class StreamedText {
  constructor(root) {
    this.root = root;
    this.text = "";
    this.settled = 0;
    this.open = null;
    root.replaceChildren();
  }

  say(text) {
    const shown = tricksShown(text);
    if (shown === this.text) return;
    if (!shown.startsWith(this.text)) this.startOver();
    this.text = shown;
    const blocks = blocksOf(shown.slice(this.settled));
    const from = this.settled;
    blocks.forEach((block, index) => {
      this.draw(block);
      if (index < blocks.length - 1) {
        this.settled = from + blocks[index + 1].start;
        this.open = null;
      }
    });
  }

  startOver() {
    this.root.replaceChildren();
    this.settled = 0;
    this.open = null;
  }

  draw(block) {
    if (this.open && block.type === "code" && growCode(this.open, block)) return;
    const element = blockElement(block);
    if (this.open) this.open.replaceWith(element);
    else this.root.append(element);
    this.open = element;
  }
}

/** Adds to the code that stands there; false when it is another block. */
function growCode(element, block) {
  const text = element.matches(".code") ? element.querySelector("code").firstChild : null;
  if (!text || !block.code.startsWith(text.data)) return false;
  text.appendData(block.code.slice(text.data.length));
  return true;
}

/** An element for one block. */
export function blockElement(block) {
  switch (block.type) {
    case "code":
      return codeElement(block);
    case "heading":
      // One lower, as the server does it: the page's title is the first heading.
      return make(`h${Math.min(block.level + 1, 6)}`, {}, ...inlineElements(block.text));
    case "rule":
      return make("hr");
    case "quote":
      return make("blockquote", {}, ...block.blocks.map(blockElement));
    case "list":
      return listElement(block);
    case "table":
      return tableElement(block);
    default:
      return make("p", {}, ...inlineElements(block.text));
  }
}

function codeElement({ code, language }) {
  const inner = make("code", {}, document.createTextNode(code));
  return make(
    "div",
    { class: "code", "data-language": language || false },
    make("pre", { tabindex: "0" }, inner),
  );
}

function listElement({ isOrdered, first, items }) {
  const rows = items.map((blocks) => {
    const [head, ...rest] = blocks;
    // A single line needs no paragraph of its own: lists stay tight, as the server renders them.
    if (head?.type === "paragraph")
      return make("li", {}, ...inlineElements(head.text), ...rest.map(blockElement));
    return make("li", {}, ...blocks.map(blockElement));
  });
  return make(
    isOrdered ? "ol" : "ul",
    { start: isOrdered && first !== 1 ? first : false },
    ...rows,
  );
}

function tableElement({ head, rows, sides }) {
  const line = (name, cells) =>
    make(
      "tr",
      {},
      ...cells.map((cell, index) =>
        make(name, { class: sides[index] || false }, ...inlineElements(cell)),
      ),
    );
  return make(
    "table",
    {},
    make("thead", {}, line("th", head)),
    make("tbody", {}, ...rows.map((row) => line("td", row))),
  );
}

function inlineElements(text) {
  return inlineNodes(text).map(inlineElement);
}

function inlineElement(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const attributes =
    node.mark === "a"
      ? { href: node.href, target: "_blank", rel: "noopener noreferrer nofollow" }
      : {};
  return make(node.mark, attributes, ...node.children.map(inlineElement));
}
