// Small words for the document that every module needs.

const SVG = "http://www.w3.org/2000/svg";
const sprite = new URL("../icons/sprite.svg", import.meta.url).pathname;

/** The first element for a selector below `root`, or null. */
export const one = (selector, root = document) => root.querySelector(selector);

/** All elements for a selector below `root`, as an array. */
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** An element with attributes and children. Text children are text, never markup. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** One icon of the sprite. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}

/** The nodes of HTML that our own server rendered and cleaned. Scripts in it do not run. */
export function serverNodes(html) {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes].map((node) =>
    document.importNode(node, true),
  );
}

/** The token that makes a POST ours. */
export const csrfToken = () => one("[name=csrfmiddlewaretoken]")?.value ?? "";

/** Sends a form without leaving the page. */
export const post = (url, data) =>
  fetch(url, {
    method: "POST",
    headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" },
    body: data instanceof FormData ? data : new URLSearchParams(data),
  });

/** JSON that the server wrote into the page. */
export const pageJson = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

/** Whether keys typed now go into a field. */
export const isTyping = (target = document.activeElement) =>
  !!target?.closest?.("input, textarea, select, [contenteditable]");
