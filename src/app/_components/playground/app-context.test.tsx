// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { use } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { type AppConversation, AppConversationContext } from "@/app/_components/apps/app-conversation";
import { runDetail } from "@/app/_components/runs/summary/run.test-support";
import { type FakeApi, type FakeProcedures, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { RunEvent, RunEventBody } from "@/lib/contract/run";
import { answered, asked, called, DONE, returned, runLog, said } from "@/lib/run/run-log.test-support";
import { PlaygroundView } from "./playground-view";

/** The context that the Apps of the conversation have. */
let apps: AppConversation | null = null;
vi.mock("@/app/_components/apps/run-app", () => ({
  RunApp: () => {
    apps = use(AppConversationContext);
    return null;
  },
}));
beforeEach(() => {
  apps = null;
  sessionStorage.clear();
});

const ID = "run_aaaaaaaa1";
const TURN = runLog(
  said("counter"),
  asked(1),
  answered(1, "", [["map__show", "{}"]]),
  called(1, 0, "map__show", "{}"),
  withApp(returned(1, 0, "map__show", "Rome")),
  asked(2),
  answered(2, "There it is."),
  DONE,
);

function withApp(event: ReturnType<typeof returned>): ReturnType<typeof returned> {
  return event.type === "tool_finished" ? { ...event, result: { ...event.result, app: true } } : event;
}

async function open(log: readonly RunEvent[] = TURN, part: FakeProcedures = {}): Promise<FakeApi> {
  const api = fakeApi(
    {
      "models.choices": () => ({ items: [{ provider: "demo", model: "rules", kind: "demo" }] }),
      "tools.list": () => ({ items: [], nextCursor: null, matching: 0 }),
      "interactions.list": () => [],
      "runs.send": () => ({ id: ID }),
      "runs.get": () => runDetail([...log], { status: log.at(-1)?.type === "turn_ended" ? "succeeded" : "running" }),
      ...part,
    },
    `?run=${ID}`,
  );
  api.render(<PlaygroundView initialSettingsText={null} />);
  await screen.findAllByRole("button", { name: /^Model: rules/ });
  await waitFor(() => expect(apps).not.toBeNull());
  return api;
}

/** An App says something for the model. @returns what it is refused with */
function tell(text: string, executionId = "exec_1"): string | null {
  try {
    act(() => apps?.updateContext({ executionId, tool: "map__show", text }));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const composer = () => screen.getByRole("form", { name: "Message" });
const items = () => within(composer()).queryAllByRole("listitem");
const sent = (api: FakeApi) => api.calls.filter(({ path }) => path === "runs.send").map(({ input }) => input);
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message to the model" });

async function write(text: string): Promise<void> {
  fireEvent.change(field(), { target: { value: text } });
  fireEvent.keyDown(field(), { key: "Enter" });
  await act(async () => undefined);
}

it("an App's context is at the composer, whole, the newest only, and goes with the next message alone", async () => {
  const api = await open();
  tell("Rome");
  tell("Oslo\nsecond line <b>");
  const item = await within(composer()).findByRole("listitem");
  expect(item.textContent).toContain("Context from map__show");
  fireEvent.click(within(item).getByText(/^Context from/));
  expect(item.querySelector("pre")?.textContent).toBe("Oslo\nsecond line <b>");
  const found = await axe.run(composer(), {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(found.violations.map(({ id }) => id)).toEqual([]);
  await write("Where?");
  const context = [{ executionId: "exec_1", tool: "map__show", text: "Oslo\nsecond line <b>" }];
  expect(sent(api)).toMatchObject([{ id: ID, text: "Where?", appContext: context }]);
  expect(items()).toEqual([]);
  expect(screen.getByText("Where?").textContent).toBe("Where?");
});

it("a context that an App changes after it was read says so, and an empty one is gone", async () => {
  await open();
  tell("Rome");
  const item = await within(composer()).findByRole("listitem");
  const details = item.querySelector("details");
  fireEvent(details as Element, new Event("toggle"));
  expect(within(item).queryByText("Changed")).toBeNull();
  tell("Oslo");
  expect(within(item).getByText("Changed")).toBeTruthy();
  tell("");
  expect(items()).toEqual([]);
});

it("a context that the user removed is not sent, and its App is refused until the next message is", async () => {
  const api = await open();
  tell("Rome");
  tell("Oslo", "exec_2");
  await waitFor(() => expect(items()).toHaveLength(2));
  fireEvent.click(screen.getAllByRole("button", { name: "Remove context from map__show" })[0] as Element);
  expect(tell("Rome again")).toMatch(/^The user removed this App's context/);
  expect(items()).toHaveLength(1);
  await write("Go");
  expect(sent(api)).toMatchObject([{ appContext: [{ executionId: "exec_2", text: "Oslo" }] }]);
  expect(tell("Rome again")).toBeNull();
});

it("all Apps together say no more than a message takes", async () => {
  await open();
  expect(tell("x".repeat(15_000))).toBeNull();
  expect(tell("x".repeat(1_001), "exec_2")).toBe(
    "The context has 1001 characters: other Apps take 15000 of 16000 characters",
  );
  expect(tell("y".repeat(16_000))).toBeNull();
});

it("a message that is not sent keeps its context: refused, queued and edited, or its page left", async () => {
  const rejectSend = () => Promise.reject(new Error("busy"));
  await open(TURN, { "runs.send": rejectSend });
  tell("Rome");
  await write("Where?");
  await waitFor(() => expect(field().value).toBe("Where?"));
  expect(items()).toHaveLength(1);
  cleanup();

  const going = TURN.slice(0, 7);
  await open(going);
  await waitFor(() => expect(items()).toHaveLength(1));
  await write("Where?");
  expect(items()).toEqual([]);
  const queued = await screen.findByRole("region", { name: "Queued message" });
  tell("Oslo");
  expect(within(queued).getByRole("listitem").textContent).toContain("Rome");
  expect(items()[0]?.textContent).toContain("Oslo");
  fireEvent.click(within(queued).getByRole("button", { name: "Edit" }));
  expect(items().map(({ textContent }) => textContent)).toEqual([expect.stringContaining("Oslo")]);
});

it("a queued message is sent with the context that it had when it was queued", async () => {
  const log = TURN.slice(0, 7);
  const api = await open(log);
  tell("Rome");
  await write("Where?");
  tell("Oslo");
  const end = TURN.at(-1) as RunEvent;
  log.push(end);
  act(() => api.emit({ type: "run_event", runId: ID, event: end }));
  await waitFor(() => expect(sent(api)).toMatchObject([{ text: "Where?", appContext: [{ text: "Rome" }] }]));
  expect(items()[0]?.textContent).toContain("Oslo");
});

it("a sent message shows what Apps said apart from the user's text, which alone is edited", async () => {
  const appContext = [{ executionId: "exec_1", tool: "map__show", text: "Rome" }];
  const message = { ...said("Where?"), appContext } as RunEventBody;
  await open([
    ...TURN,
    ...runLog(message, asked(3), answered(3, "Here."), DONE).map((event) => ({
      ...event,
      index: event.index + TURN.length,
    })),
  ]);
  const turn = await screen.findByRole("region", { name: "Turn 2" });
  expect((await within(turn).findByRole("listitem")).textContent).toContain("Context from map__show");
  expect(within(turn).queryByRole("button", { name: /^Remove/ })).toBeNull();
  fireEvent.click(within(turn).getByRole("button", { name: "Edit message and rerun" }));
  expect((await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message required" })).value).toBe("Where?");
});
