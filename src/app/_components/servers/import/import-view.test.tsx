// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ServerSettingsInput } from "@/lib/contract/server";
import type { ServerImport } from "@/lib/contract/server-import";
import { ImportView } from "./import-view";

const settings = (name: string): ServerSettingsInput => ({ name, transport: "stdio", command: "npx", args: [name] });
const FOUND: ServerImport = {
  servers: [
    { name: "files", enabled: true, settings: settings("files"), problems: [], notes: ["cwd was not given"] },
    {
      name: "taken",
      enabled: true,
      settings: settings("taken"),
      problems: ["name: 'taken' is already taken"],
      notes: [],
    },
    { name: "half", enabled: true, settings: null, problems: ["command or url: one of them is required"], notes: [] },
  ],
  problems: [],
  notes: [],
};

function importApi(parse: () => ServerImport = () => FOUND): FakeApi {
  return fakeApi({
    "servers.parseImport": parse,
    "servers.checkSettings": () => ({ problems: [], notes: [] }),
    "servers.list": () => ({ items: [], problems: [] }),
    "servers.import": ({ servers }: { servers: { settings: ServerSettingsInput }[] }) => {
      const names = servers.map(({ settings: { name } }) => name);
      return {
        created: names.filter((name) => name !== "unlucky"),
        rejected: names.filter((name) => name === "unlucky").map((name) => ({ name, error: "already taken" })),
      };
    },
  });
}

function Import() {
  const [text, setText] = useState("");
  return <ImportView text={text} onText={setText} onOpenInForm={() => undefined} dirty={false} />;
}

async function paste(api: FakeApi) {
  const shown = api.render(<Import />);
  fireEvent.change(screen.getByRole("textbox", { name: "Configuration" }), { target: { value: "{}" } });
  await screen.findByText("3 servers found");
  return shown;
}
const box = (name: string) => screen.getByRole<HTMLInputElement>("checkbox", { name: `Import ${name}` });
const imported = (api: FakeApi) => api.calls.filter(({ path }) => path === "servers.import").map(({ input }) => input);

describe("a pasted configuration", () => {
  it("shows each server with its problems, preselects the valid ones, and axe finds nothing", async () => {
    const { container } = await paste(importApi());
    expect([box("files").checked, box("taken").checked, box("half").disabled]).toEqual([true, false, true]);
    expect(screen.getByText("cwd was not given")).toBeTruthy();
    expect(screen.getByText("command or url: one of them is required")).toBeTruthy();
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it("imports the selection under the entered names, by the key wherever the focus is, and opens the list of servers", async () => {
    const api = importApi();
    await paste(api);
    fireEvent.change(screen.getByRole("textbox", { name: "Name of taken" }), { target: { value: "fresh" } });
    await waitFor(() => expect(screen.queryByText("name: 'taken' is already taken")).toBeNull());
    fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(api.visited).toEqual(["/servers"]));
    const toast = screen.getByText("2 servers added");
    expect(toast.parentElement?.innerHTML).not.toContain("bg-ok");
    expect(imported(api)).toMatchObject([
      {
        servers: [
          { settings: { name: "files" }, enabled: true },
          { settings: { name: "fresh", args: ["taken"] }, enabled: true },
        ],
      },
    ]);
  });

  it("shows a server that is switched off in the text as such, and adds it switched off", async () => {
    const off = { name: "idle", enabled: false, settings: settings("idle"), problems: [], notes: ["ignored: icon"] };
    const api = importApi(() => ({ servers: [off], problems: [], notes: ["Typographic quotes were read"] }));
    const opened: unknown[] = [];
    api.render(
      <ImportView text="{}" onText={() => undefined} onOpenInForm={(...given) => opened.push(given)} dirty={false} />,
    );
    await screen.findByText("1 server found");
    expect(screen.getByText("disabled")).toBeTruthy();
    expect(screen.getByText("ignored: icon")).toBeTruthy();
    expect(screen.getByText("Typographic quotes were read")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Open in the form" }));
    expect(opened).toEqual([[off.settings, false]]);
    fireEvent.click(screen.getByRole("button", { name: /^Import 1 server/ }));
    await waitFor(() => expect(api.visited).toEqual(["/servers"]));
    expect(imported(api)).toMatchObject([{ servers: [{ settings: { name: "idle" }, enabled: false }] }]);
  });

  it("says why one was not added, and keeps it for another attempt", async () => {
    const api = importApi();
    await paste(api);
    fireEvent.change(screen.getByRole("textbox", { name: "Name of files" }), { target: { value: "unlucky" } });
    fireEvent.click(screen.getByRole("button", { name: /^Import 1 server/ }));
    await screen.findByText(/already taken/);
    const toast = screen.getByText("0 of 1 server added");
    expect(toast.parentElement?.innerHTML).toContain("bg-warn");
    expect(box("files").checked).toBe(true);
    expect(api.visited).toEqual([]);
  });

  it("says what is wrong with the text as a whole", async () => {
    const api = importApi(() => ({ servers: [], problems: ["not valid JSON at line 3"], notes: [] }));
    api.render(<Import />);
    fireEvent.change(screen.getByRole("textbox", { name: "Configuration" }), { target: { value: "{" } });
    await screen.findByText("not valid JSON at line 3");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: /^Import Ctrl/ }).disabled).toBe(true);
  });

  it("warns of variables that are not set, and hides secrets once the pasted text is read", async () => {
    const env = [
      { name: "API_KEY", value: "hunter2" },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to a variable
      { name: "HOST", value: "${NOT_SET}" },
    ];
    const args = ["--token", "s3cret", "/srv"];
    const found = { ...settings("files"), args, env } as ServerSettingsInput;
    const api = importApi(() => ({
      servers: [
        { name: "files", enabled: true, settings: found, problems: [], notes: [], warnings: ["NOT_SET is not set"] },
      ],
      problems: [],
      notes: [],
    }));
    const { container } = api.render(<Import />);
    const field = screen.getByRole("textbox", { name: "Configuration" });
    const text = JSON.stringify({
      files: { args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) },
    });
    fireEvent.paste(field, { clipboardData: { getData: () => text } });
    fireEvent.change(field, { target: { value: text } });
    await screen.findByText("Warning: NOT_SET is not set");
    expect(container.textContent).not.toMatch(/hunter2|s3cret/);
    const masked = screen.getByRole("group", { name: "Configuration without secrets" }).textContent;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to a variable
    for (const shown of ["API_KEY", "/srv", "--token", "${NOT_SET}"]) expect(masked).toContain(shown);
    expect((await axe.run(container)).violations).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Show and edit" }));
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Configuration" }).value).toBe(text);
  });
});
