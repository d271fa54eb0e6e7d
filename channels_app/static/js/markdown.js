// Blocks of a text that is still arriving, as plain data: pure, no document.

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?/;
const TABLE_LINE = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const DEEPEST = 8;

/** The blocks of `text`, each with the offset where it starts; the last may still grow. */
export function blocksOf(text, depth = 0) {
  const lines = text.split("\n");
  const blocks = [];
  let line = 0;
  let offset = 0;
  while (line < lines.length) {
    const start = offset;
    const block = lines[line].trim() ? blockAt(lines, line, depth) : { size: 1 };
    for (let each = 0; each < block.size; each += 1) offset += lines[line + each].length + 1;
    line += block.size;
    if (block.type) blocks.push({ ...block, start });
  }
  return blocks;
}

function blockAt(lines, at, depth) {
  const line = lines[at];
  let match = FENCE.exec(line);
  if (match) return fence(lines, at, match);
  match = HEADING.exec(line);
  if (match) return { type: "heading", level: match[1].length, text: match[2], size: 1 };
  if (RULE.test(line)) return { type: "rule", size: 1 };
  if (depth < DEEPEST && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < DEEPEST && ITEM.test(line)) return list(lines, at, depth);
  if (line.includes("|") && TABLE_LINE.test(lines[at + 1] ?? "")) return table(lines, at);
  return paragraph(lines, at, depth);
}

function fence(lines, at, [, mark, language]) {
  const close = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !close.test(lines[end])) end += 1;
  const isClosed = end < lines.length;
  const code = lines.slice(at + 1, end).join("\n");
  return {
    type: "code",
    language: language.toLowerCase(),
    code,
    isClosed,
    size: end - at + (isClosed ? 1 : 0),
  };
}

function quote(lines, at, depth) {
  let end = at;
  while (
    end < lines.length &&
    (QUOTE.test(lines[end]) || (lines[end].trim() && !startsBlock(lines[end])))
  )
    end += 1;
  const inner = lines
    .slice(at, end)
    .map((line) => line.replace(QUOTE, ""))
    .join("\n");
  return { type: "quote", blocks: blocksOf(inner, depth + 1), size: end - at };
}

function list(lines, at, depth) {
  const isOrdered = /\d/.test(ITEM.exec(lines[at])[2]);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const match = ITEM.exec(lines[end]);
    if (match && /\d/.test(match[2]) === isOrdered && !RULE.test(lines[end])) {
      items.push([match[3]]);
    } else if (!continues(lines, end)) {
      break;
    } else {
      items.at(-1).push(lines[end].replace(/^ {1,4}/, ""));
    }
    end += 1;
  }
  return {
    type: "list",
    isOrdered,
    first: isOrdered ? Number.parseInt(ITEM.exec(lines[at])[2], 10) : 1,
    items: items.map((parts) => blocksOf(parts.join("\n").trimEnd(), depth + 1)),
    size: end - at,
  };
}

/** Whether a line without its own mark still belongs to the item before it. */
function continues(lines, at) {
  if (!lines[at].trim())
    return ITEM.test(lines[at + 1] ?? "") || /^ {2,}\S/.test(lines[at + 1] ?? "");
  if (/^ {2,}\S/.test(lines[at])) return true;
  return Boolean(lines[at - 1].trim()) && !startsBlock(lines[at]);
}

function table(lines, at) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const sides = cells(lines[at + 1]).map((cell) =>
    cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "",
  );
  return {
    type: "table",
    sides,
    head: cells(lines[at]),
    rows: lines.slice(at + 2, end).map(cells),
    size: end - at,
  };
}

function cells(line) {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function startsBlock(line) {
  return (
    FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line)
  );
}

function paragraph(lines, at, depth) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && (depth >= DEEPEST || !startsBlock(lines[end])))
    end += 1;
  return { type: "paragraph", text: lines.slice(at, end).join("\n").trim(), size: end - at };
}
