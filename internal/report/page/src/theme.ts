// Light or dark: as the system has it, until the reader chooses.

import { find } from "./elements.js";

const themes = ["system", "dark", "light"] as const;
const signs = { system: "◐", dark: "●", light: "○" };
const names = { system: "System", dark: "Dark", light: "Light" };
const said = { system: "as the system has them", dark: "dark", light: "light" };

export function listenToTheme(): void {
  const button = find("theme");
  let at = 0;
  button?.addEventListener("click", () => {
    at = (at + 1) % themes.length;
    const theme = themes[at] ?? "system";
    document.documentElement.dataset["theme"] = theme;
    const name = document.createElement("span");
    name.textContent = names[theme];
    button.replaceChildren(`${signs[theme]} `, name);
    button.setAttribute("aria-label", `Colours: ${said[theme]}`);
  });
}
