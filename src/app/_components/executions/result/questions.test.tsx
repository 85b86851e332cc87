// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { beforeEach, describe, expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { InboxButton } from "@/app/_components/interactions/inbox-button";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { InteractionAnswer, InteractionRequest, PendingInteraction } from "@/lib/contract/interaction";
import { RunningPanel } from "./running-panel";

let nextId = 0;
let pending: PendingInteraction[] = [];
/** The server's response to an answer. */
let answered: boolean | Error = true;
/** Whether the server requires "name". */
let needsName = false;

const VALID = { valid: true, faults: [], warnings: [] };
const NAME_MISSING = { pointer: "/name", path: "name", keyword: "required", message: "is required" };

beforeEach(() => {
  pending = [];
  answered = true;
  needsName = false;
});

function question(request: InteractionRequest, part: Partial<PendingInteraction> = {}): PendingInteraction {
  nextId += 1;
  const id = `ask_${nextId}`;
  const call = { executionId: null, runId: null };
  return { id, server: "files", ...call, toolName: "files__delete", askedAt: Date.now(), request, ...part };
}

const form = (properties: Record<string, unknown>, required: string[] = []): InteractionRequest => ({
  kind: "form",
  message: "Which <b>one</b>?",
  schema: { type: "object", properties, required },
});

function server(): FakeApi {
  return fakeApi({
    "interactions.list": () => [...pending],
    "interactions.validate": ({ content }: { content: object }) =>
      Object.hasOwn(content, "name") || !needsName ? VALID : { ...VALID, valid: false, faults: [NAME_MISSING] },
    "interactions.answer": ({ id }: { id: string; answer: InteractionAnswer }) => {
      if (answered instanceof Error) throw answered;
      pending = pending.filter((each) => each.id !== id);
      return { answered };
    },
    "executions.cancel": () => ({ cancelled: true }),
  });
}

async function openInbox(): Promise<FakeApi> {
  const api = server();
  api.render(
    <main id="main" tabIndex={-1}>
      <InboxButton />
    </main>,
  );
  fireEvent.click(await screen.findByRole("button", { name: /server requests?/ }));
  await screen.findByRole("dialog", { name: "Server requests" });
  return api;
}

function sentBy(api: FakeApi): unknown[] {
  return api.calls.filter((call) => call.path === "interactions.answer").map((call) => call.input);
}

/** Checks the dialog only: the page behind it is hidden, which axe can only check in a browser. */
async function violations(): Promise<string[]> {
  const found = await axe.run(screen.getByRole("dialog"), {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  return found.violations.map((each) => each.id);
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

describe("the inbox of questions", () => {
  it("is not there without questions, and appears with a count and an announcement when one is asked", async () => {
    const api = server();
    api.render(<InboxButton />);
    await waitFor(() => expect(api.calls).toHaveLength(1));
    expect(screen.queryByRole("button")).toBeNull();
    pending = [question(form({})), question(form({}))];
    act(() => api.emit({ type: "interactions" }));
    expect((await screen.findByRole("button", { name: "2 server requests" })).dataset.status).toBe("waiting");
    expect(screen.getByRole("status").textContent).toBe("2 server requests need your input");
  });

  it("sends exactly what the form says, shows the server's words as text, and axe finds nothing", async () => {
    pending = [
      question(
        form(
          {
            name: { type: "string", title: "Your name" },
            size: {
              type: "string",
              oneOf: [
                { const: "s", title: "Small" },
                { const: "l", title: "Large" },
              ],
              default: "l",
            },
            tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
            sure: { type: "boolean" },
          },
          ["name"],
        ),
      ),
    ];
    const [{ id }] = pending as [PendingInteraction];
    needsName = true;
    const api = await openInbox();
    expect(screen.getByText("Which <b>one</b>?")).toBeDefined();
    expect(screen.getByRole("link", { name: "files" }).getAttribute("href")).toBe("/servers/files");
    expect(screen.getByText(/Don't enter passwords/)).toBeDefined();
    expect(screen.getByLabelText<HTMLSelectElement>("size").selectedOptions[0]?.textContent).toBe("Large");
    expect(await violations()).toEqual([]);
    press("Submit");
    expect(await screen.findByText("Required")).toBeDefined();
    expect(sentBy(api)).toEqual([]);
    const name = screen.getByLabelText("Your name");
    await waitFor(() => expect(document.activeElement).toBe(name));
    expect(name.getAttribute("aria-invalid")).toBe("true");
    expect(await violations()).toEqual([]);
    fireEvent.change(name, { target: { value: "Ada" } });
    fireEvent.click(within(screen.getByRole("group", { name: "tags" })).getByLabelText("b"));
    press("Submit");
    await waitFor(() =>
      expect(sentBy(api)).toEqual([
        { id, answer: { action: "accept", content: { name: "Ada", size: "l", tags: ["b"] } } },
      ]),
    );
    await screen.findByText("Response sent to files.");
    expect(screen.queryByRole("article")).toBeNull();
    expect(screen.getByText("None pending")).toBeDefined();
    press("Close");
    await waitFor(() => expect(document.activeElement?.id).toBe("main"));
  });

  it("declines and cancels without sending what was typed", async () => {
    pending = [question(form({ a: { type: "string" } })), question(form({ a: { type: "string" } }))];
    const [first, second] = pending as [PendingInteraction, PendingInteraction];
    const api = await openInbox();
    const card = () => within(screen.getAllByRole("article")[0] as HTMLElement);
    fireEvent.change(card().getByLabelText("a"), { target: { value: "typed" } });
    fireEvent.click(card().getByRole("button", { name: "Decline" }));
    await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(1));
    fireEvent.click(card().getByRole("button", { name: "Dismiss request" }));
    await screen.findByText("Dismissed the request from files.");
    expect(sentBy(api)).toEqual([
      { id: first.id, answer: { action: "decline" } },
      { id: second.id, answer: { action: "cancel" } },
    ]);
  });

  it("keeps what is typed when another question arrives and when the dialog is closed and opened again", async () => {
    pending = [question(form({ a: { type: "string" } }))];
    const api = await openInbox();
    fireEvent.change(screen.getByLabelText("a"), { target: { value: "half an ans" } });
    pending = [question({ kind: "url", message: "Sign in", url: "https://example.com" }), ...pending];
    act(() => api.emit({ type: "interactions" }));
    await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(2));
    expect(screen.getByLabelText("a")).toHaveProperty("value", "half an ans");
    press("Close");
    fireEvent.click(await screen.findByRole("button", { name: /server requests?/ }));
    expect(await screen.findByLabelText("a")).toHaveProperty("value", "half an ans");
  });

  it("takes a question away that was answered elsewhere, and says so", async () => {
    pending = [question(form({ a: { type: "string" } }))];
    const api = await openInbox();
    pending = [];
    act(() => api.emit({ type: "interactions" }));
    await screen.findByText("The request from files for files__delete was answered elsewhere, or its call ended.");
    expect(screen.queryByRole("article")).toBeNull();
    expect(await violations()).toEqual([]);
  });

  it("says when an answer came too late, and keeps the question when it was refused", async () => {
    pending = [question(form({ a: { type: "string", default: "x" } }))];
    await openInbox();
    answered = new Error("'a' must be an e-mail address");
    press("Submit");
    await screen.findByText("'a' must be an e-mail address");
    expect(screen.getByLabelText("a")).toHaveProperty("value", "x");
    answered = false;
    press("Submit");
    await screen.findByText(/was answered elsewhere, or its call ended/);
  });
});

describe("an answer from this page", () => {
  it("is not shown as another client's when the list changes before the server has confirmed it", async () => {
    pending = [question(form({ a: { type: "string", default: "x" } }))];
    let confirm = (_answered: boolean): void => undefined;
    const api = fakeApi({
      "interactions.list": () => [...pending],
      "interactions.validate": () => VALID,
      "interactions.answer": () =>
        new Promise((resolve) => {
          confirm = (ok) => resolve({ answered: ok });
        }),
    });
    api.render(<InboxButton />);
    fireEvent.click(await screen.findByRole("button", { name: /server requests?/ }));
    await screen.findByLabelText("a");
    press("Submit");
    await waitFor(() => expect(sentBy(api)).toHaveLength(1));
    pending = [];
    act(() => api.emit({ type: "interactions" }));
    await screen.findByText("Response sent to files.");
    await act(async () => confirm(false));
    await screen.findByText(/was answered elsewhere, or its call ended/);
  });
});

describe("an address to open", () => {
  it("shows address and host, opens in a tab of its own, and is accepted without any content", async () => {
    pending = [question({ kind: "url", message: "Sign in", url: "https://bank.example@evil.example/in?a=1" })];
    const [{ id }] = pending as [PendingInteraction];
    const api = await openInbox();
    expect(screen.getByText("evil.example")).toBeDefined();
    expect(screen.getByText("https://bank.example@evil.example/in?a=1")).toBeDefined();
    expect(screen.getByText("This URL looks like another host")).toBeDefined();
    const link = screen.getByRole("link", { name: /Open/ });
    expect(link.getAttribute("target")).toBe("_blank");
    expect(link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(await violations()).toEqual([]);
    press("Done");
    await waitFor(() => expect(sentBy(api)).toEqual([{ id, answer: { action: "accept" } }]));
  });

  it("is not opened unless it leads to the web", async () => {
    pending = [question({ kind: "url", message: "Look", url: "javascript:alert(document.domain)" })];
    await openInbox();
    expect(screen.getByText("Not a web URL")).toBeDefined();
    expect(screen.queryByRole("link", { name: /Open/ })).toBeNull();
    expect(screen.queryByRole("button", { name: "Done" })).toBeNull();
    expect(screen.getByRole("button", { name: "Decline" })).toBeDefined();
  });
});

describe("a request for a model's answer", () => {
  const paramsText = JSON.stringify({
    systemPrompt: "Be brief",
    maxTokens: 50,
    messages: [
      { role: "user", content: { type: "text", text: "Capital of Norway?" } },
      { role: "user", content: [{ type: "image", data: "AAAA", mimeType: "image/tiff" }] },
    ],
  });

  it("shows what a model would receive and sends the text that the user writes", async () => {
    pending = [question({ kind: "sampling", message: "Needs a model", paramsText })];
    const [{ id }] = pending as [PendingInteraction];
    const api = await openInbox();
    expect(screen.getByText("Be brief")).toBeDefined();
    expect(screen.getByText("Max tokens")).toBeDefined();
    expect(screen.getByText("Capital of Norway?")).toBeDefined();
    expect(screen.getByText(/“image\/tiff” is not a supported image type/)).toBeDefined();
    press("Send response");
    expect(screen.getByText("Enter a response, or decline.")).toBeDefined();
    expect(await violations()).toEqual([]);
    fireEvent.change(screen.getByLabelText("Response"), { target: { value: "Oslo\n" } });
    press("Send response");
    await waitFor(() => expect(sentBy(api)).toEqual([{ id, answer: { action: "accept", text: "Oslo\n" } }]));
  });

  it("shows a request that it cannot read as it came", async () => {
    pending = [question({ kind: "sampling", message: "Needs a model", paramsText: "{oops" })];
    await openInbox();
    expect(screen.getByText("{oops")).toBeDefined();
  });
});

describe("a running call that waits for an answer", () => {
  it("has the question in its own panel, others' not, and the draft is the inbox's draft", async () => {
    const call = executionDetail({
      id: "exec_waiting00",
      implementationType: "mcp",
      serverName: "files",
      status: "running",
      finishedAt: null,
    });
    pending = [
      question(form({ a: { type: "string" } }), { executionId: call.id }),
      question(form({ b: { type: "string" } }), { executionId: "exec_another0" }),
      question(form({ c: { type: "string" } }), { server: "other" }),
    ];
    const api = server();
    api.render(<RunningPanel execution={call} />);
    const field = await screen.findByLabelText("a");
    expect(screen.getAllByRole("article")).toHaveLength(1);
    fireEvent.change(field, { target: { value: "yes" } });
    cleanup();
    api.render(<InboxButton />);
    fireEvent.click(await screen.findByRole("button", { name: /server requests?/ }));
    expect(await screen.findByLabelText("a")).toHaveProperty("value", "yes");
    expect(screen.getAllByRole("article")).toHaveLength(3);
  });

  it("is called this call where the server did not say for which of its calls it asks", async () => {
    const call = executionDetail({ id: "exec_waiting00", implementationType: "mcp", serverName: "files" });
    const candidates = [
      { executionId: call.id, toolName: "files__ask" },
      { executionId: "exec_another0", toolName: "files__copy" },
    ];
    pending = [question(form({}), { toolName: null, candidates })];
    server().render(<RunningPanel execution={call} />);
    const card = await screen.findByRole("article");
    expect(card.textContent).toContain("during this call or files__copy");
    expect(within(card).queryByRole("link", { name: "files__ask" })).toBeNull();
  });
});
