// The streaming renderer's reading of Markdown.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inlineNodes, tricksShown } from "../../../channels_app/static/js/inline.js";
import { blocksOf } from "../../../channels_app/static/js/markdown.js";

const types = (text) => blocksOf(text).map((block) => block.type);

test("it works", () => {
  assert.deepEqual(
    types(
      "# Title\n\ntext\n\n- a\n- b\n\n```py\nx\n```\n\n> said\n\n---\n\n| a | b |\n|---|--:|\n| 1 | 2 |",
    ),
    ["heading", "paragraph", "list", "code", "quote", "rule", "table"],
  );
});

test("blocks know where they start, so that complete ones are left alone", () => {
  const text = "one\n\ntwo\n\n```\ncode";

  assert.deepEqual(
    blocksOf(text).map((block) => text.slice(block.start).split("\n")[0]),
    ["one", "two", "```"],
  );
});

test("an open fence is code to the end", () => {
  const [block] = blocksOf("```js\nlet a = 1;\n# not a title");

  assert.deepEqual(
    [block.type, block.language, block.isClosed, block.code],
    ["code", "js", false, "let a = 1;\n# not a title"],
  );
});

test("lists nest", () => {
  const [list] = blocksOf("1. one\n   - inner\n2. two");

  assert.equal(list.isOrdered, true);
  assert.deepEqual(
    list.items.map((item) => item.map((block) => block.type)),
    [["paragraph", "list"], ["paragraph"]],
  );
});

test("tables have sides", () => {
  const [table] = blocksOf("a|b\n:-:|--:\n1|2\n3|4");

  assert.deepEqual(
    [table.head, table.sides, table.rows],
    [
      ["a", "b"],
      ["center", "right"],
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
  );
});

test("marks inside a line", () => {
  assert.deepEqual(
    inlineNodes("a **b** _c_ `d*e*` ~~f~~")
      .filter((node) => node.mark)
      .map((node) => node.mark),
    ["strong", "em", "code", "s"],
  );
  assert.deepEqual(inlineNodes("snake_case_name and 2*3*4"), [
    "snake_case_name and 2",
    { mark: "em", children: ["3"] },
    "4",
  ]);
});

for (const [name, text] of [
  ["script address", "[x](javascript:alert(1))"],
  ["mixed case", "[x](JaVaScRiPt:alert(1))"],
  ["data address", "[x](data:text/html,hi)"],
  ["address of another protocol", "[x](vbscript:x)"],
  ["address without protocol", "[x](//evil.example)"],
  ["address on this site", "[x](/signout/)"],
  ["picture with a script", "![x](javascript:alert(1))"],
]) {
  test(`no link: ${name}`, () => {
    assert.deepEqual(
      inlineNodes(text).filter((node) => node.mark === "a"),
      [],
    );
  });
}

test("safe links and bare addresses are links, pictures become links", () => {
  const links = inlineNodes(
    "[a](https://a.example) https://b.example/x. ![c](https://c.example/p.png) <mailto:d@d.example>",
  ).filter((node) => node.mark === "a");

  assert.deepEqual(
    links.map((node) => node.href),
    ["https://a.example", "https://b.example/x", "https://c.example/p.png", "mailto:d@d.example"],
  );
});

test("reordering and hidden characters are spelled out", () => {
  assert.equal(tricksShown("a\u202eb\u2066c\u{e0041}"), "a[U+202E]b[U+2066]c[U+E0041]");
  assert.equal(tricksShown("שלום\u200f"), "שלום\u200f");
});

test("every beginning of a text can be read", () => {
  const text =
    "# T\n\n1. a\n   - b\n\n> q\n> r\n\n|a|b|\n|-|-|\n|1|2|\n\n```js\nx\n```\n**b** `c` [l](https://x.example)";

  for (let end = 0; end <= text.length; end += 1)
    blocksOf(text.slice(0, end)).forEach((block) => inlineNodes(block.text ?? ""));
});

test("hostile lengths end", () => {
  for (const text of [
    "> ".repeat(5000),
    "- ".repeat(5000),
    "*".repeat(8000),
    "[".repeat(8000),
    "`".repeat(8001),
    "**a".repeat(4000),
    "|".repeat(8000),
  ]) {
    blocksOf(text).forEach((block) => inlineNodes(block.text ?? ""));
  }
});
