// @vitest-environment happy-dom
import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { OwnIcon } from "./own-icon";
import { DEFAULT_PREFERENCES } from "./preferences";
import { PreferencesProvider } from "./preferences-provider";

const show = (theme: "system" | "light" | "dark", icon?: string) =>
  render(
    <PreferencesProvider initial={{ ...DEFAULT_PREFERENCES, theme }} mac={false}>
      <OwnIcon of="server" name="a & b" icon={icon} />
    </PreferencesProvider>,
  ).container;

it("an icon is asked of this Toolroom for the theme that is shown, and nothing where there is none", () => {
  expect(show("light").innerHTML).toBe("");
  expect(show("dark", "key").querySelector("img")?.getAttribute("src")).toBe(
    "/api/icons?server=a+%26+b&theme=dark&v=key",
  );
  const system = show("system", "key");
  expect(system.querySelector("img")?.getAttribute("src")).toContain("theme=light");
  expect(system.querySelector("source")?.getAttribute("srcset")).toContain("theme=dark");
  expect(system.querySelector("source")?.getAttribute("media")).toBe("(prefers-color-scheme: dark)");
});
