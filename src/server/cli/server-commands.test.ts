import { expect, it } from "vitest";
import { expandUserFolder } from "./server-commands";

it("names the user's folder for shells that pass ~ on, where a word begins with it as a folder", () => {
  const home = `\${HOME}`;
  expect(expandUserFolder(["~", "~/notes", "~\\notes", "~ada/x", "a~/b", "npx"])).toEqual([
    home,
    `${home}/notes`,
    `${home}\\notes`,
    "~ada/x",
    "a~/b",
    "npx",
  ]);
});
