// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { useState } from "react";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeApi, fakeApi } from "@/app/_components/executions/fake-api.test-support";
import type { ServerImport, ServerSettingsInput } from "@/lib/contract/server";
import { ImportView } from "./import-view";

afterEach(cleanup);

const settings = (name: string): ServerSettingsInput => ({ name, transport: "stdio", command: "npx", args: [name] });
const FOUND: ServerImport = {
  servers: [
    { name: "files", settings: settings("files"), problems: [], notes: ["cwd was not given"] },
    { name: "taken", settings: settings("taken"), problems: ["name: 'taken' is already taken"], notes: [] },
    { name: "half", settings: null, problems: ["command or url: one of them is needed"], notes: [] },
  ],
  problems: [],
};

function importApi(parse: () => ServerImport = () => FOUND): FakeApi {
  return fakeApi({
    "servers.parseImport": parse,
    "servers.checkSettings": () => ({ problems: [], notes: [] }),
    "servers.list": () => ({ items: [], problems: [] }),
    "servers.import": ({ servers }: { servers: ServerSettingsInput[] }) => ({
      created: servers.filter(({ name }) => name !== "unlucky").map(({ name }) => name),
      rejected: servers
        .filter(({ name }) => name === "unlucky")
        .map(({ name }) => ({ name, error: "taken meanwhile" })),
    }),
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
  it("shows each server with what stands in its way, chooses what is sound, and axe finds nothing", async () => {
    const { container } = await paste(importApi());
    expect([box("files").checked, box("taken").checked, box("half").disabled]).toEqual([true, false, true]);
    expect(screen.getByText("cwd was not given")).toBeTruthy();
    expect(screen.getByText("command or url: one of them is needed")).toBeTruthy();
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it("imports what is chosen under the names that were given, and links to what was added", async () => {
    const api = importApi();
    await paste(api);
    fireEvent.change(screen.getByRole("textbox", { name: "Name of taken" }), { target: { value: "fresh" } });
    await waitFor(() => expect(screen.queryByText("name: 'taken' is already taken")).toBeNull());
    fireEvent.click(screen.getByRole("button", { name: "Import 2 servers" }));
    const link = await screen.findByRole("link", { name: "fresh" });
    expect(link.getAttribute("href")).toBe("/servers/fresh");
    expect(imported(api)).toMatchObject([{ servers: [{ name: "files" }, { name: "fresh", args: ["taken"] }] }]);
    expect(screen.getByText("1 server found")).toBeTruthy();
  });

  it("says why one was not added, and keeps it for another attempt", async () => {
    await paste(importApi());
    fireEvent.change(screen.getByRole("textbox", { name: "Name of files" }), { target: { value: "unlucky" } });
    fireEvent.click(screen.getByRole("button", { name: "Import 1 server" }));
    await screen.findByText(/taken meanwhile/);
    expect(box("files").checked).toBe(true);
  });

  it("says what is wrong with the text as a whole", async () => {
    const api = importApi(() => ({ servers: [], problems: ["not valid JSON at line 3"] }));
    api.render(<Import />);
    fireEvent.change(screen.getByRole("textbox", { name: "Configuration" }), { target: { value: "{" } });
    await screen.findByText("not valid JSON at line 3");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Import" }).disabled).toBe(true);
  });
});
