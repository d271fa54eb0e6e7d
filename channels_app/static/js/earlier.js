// Older messages, put before the ones that stand there without moving them.

import { one } from "./dom.js";

/** Lets the link to earlier messages fetch them instead of leaving the page. */
export function earlierConnect(conversation, transcript) {
  one("#earlier")?.addEventListener("click", async (event) => {
    event.preventDefault();
    const link = event.currentTarget;
    const answer = await fetch(link.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const messages = JSON.parse(page.getElementById("chat-settings").textContent).messages;
    transcript.addBefore([...page.querySelectorAll("#transcript > [data-id]")]);
    conversation.change({ type: "earlier", messages });
    const next = page.getElementById("earlier");
    if (next) link.href = next.getAttribute("href");
    else link.parentElement.remove();
  });
}
