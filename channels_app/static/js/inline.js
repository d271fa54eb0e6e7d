// Marks inside a line of text as plain data: pure, no document. The streaming renderer and its
// tests use it; the server's HTML replaces what is drawn from it.

// Beyond this a paragraph is shown as it is: looking for pairs of marks would take too long.
const LONGEST = 20_000;
const MARK = new RegExp(
  [
    /(`+)([\s\S]*?[^`])\1(?!`)/, // code
    /\*\*(?=\S)([\s\S]*?\S)\*\*/, // strong
    /\*(?=[^\s*])([^*\n]*?[^\s*])\*(?!\*)/, // emphasis
    /(?<![\w_])_(?=[^\s_])([^_\n]*?[^\s_])_(?!\w)/, // emphasis, not within a word
    /~~(?=\S)([\s\S]*?\S)~~/, // struck out
    /(!?)\[([^\]\n]*)\]\(\s*([^\s()]*(?:\([^\s()]*\)[^\s()]*)*)[^)\n]*\)/, // link, picture
    /<((?:https?|mailto):[^>\s]+)>/, // address in angles
    /(https?:\/\/[^\s<>"'`|]*[^\s<>"'`|.,;:!?)\]}])/, // bare address
    /\\([\\`*_{}[\]()#+\-.!~|>])/, // escaped mark
    /(\n)/, // line break
  ]
    .map((part) => part.source)
    .join("|"),
  "gi",
);
const SAFE = /^(?:https?:\/\/|mailto:)\S/i;
const TRICKS = /[\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g;

/** Whether a page may link to this. */
export const isSafeLink = (url) => SAFE.test(url);

/** Text with reordering and hidden characters spelled out, as the server does it. */
export const tricksShown = (text) =>
  text.replace(
    TRICKS,
    (found) => `[U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );

/** A line as nodes: strings, or {mark, href?, children}. Links that are not safe stay text. */
export function inlineNodes(text) {
  if (text.length > LONGEST) return [text];
  const nodes = [];
  let done = 0;
  for (const match of text.matchAll(MARK)) {
    if (match.index > done) nodes.push(text.slice(done, match.index));
    nodes.push(node(match));
    done = match.index + match[0].length;
  }
  if (done < text.length) nodes.push(text.slice(done));
  return nodes;
}

function node(match) {
  const [whole, , code, strong, em1, em2, del, bang, label, href, auto, bare, escaped, newline] =
    match;
  if (code !== undefined) return { mark: "code", children: [code.replace(/^ (.+) $/, "$1")] };
  if (strong !== undefined) return { mark: "strong", children: inlineNodes(strong) };
  if (em1 !== undefined || em2 !== undefined)
    return { mark: "em", children: inlineNodes(em1 ?? em2) };
  if (del !== undefined) return { mark: "s", children: inlineNodes(del) };
  if (href !== undefined) return isSafeLink(href) ? link(href, label || href, bang) : whole;
  if (auto !== undefined || bare !== undefined) return link(auto ?? bare, auto ?? bare);
  if (escaped !== undefined) return escaped;
  return newline ? { mark: "br", children: [] } : whole;
}

/** A link; what was an image is one too, nothing is ever loaded. */
function link(href, label, isImage = "") {
  return {
    mark: "a",
    href,
    children: isImage ? [label] : label === href ? [label] : inlineNodes(label),
  };
}
