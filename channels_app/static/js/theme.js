// Light, dark, or what the system says; kept on the person, so that the server writes it.

import { post } from "./dom.js";

/** Shows `theme` ("light", "dark", "auto") at once and saves it. */
export function themeSet(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  return post("/profile/theme/", { theme });
}
