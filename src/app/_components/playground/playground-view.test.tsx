// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { runDetail } from "@/app/_components/runs/summary/run.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, type FakeProcedures, fakeApi } from "@/app/_kit/fake-api.test-support";
import { DEFAULT_PREFERENCES } from "@/app/_kit/preferences";
import { PreferencesProvider } from "@/app/_kit/preferences-provider";
import type { LiveEvent } from "@/lib/contract/live-event";
import type { RunEvent } from "@/lib/contract/run";
import { answered, asked, called, DONE, returned, runLog, said } from "@/lib/run/run-log.test-support";
import { PlaygroundView } from "./playground-view";

const ID = "run_aaaaaaaa1";

/** A server with one run whose log is `log`, as far as `log` has been filled. */
function server(log: RunEvent[], part: FakeProcedures = {}, search = ""): FakeApi {
  return fakeApi(
    {
      "models.choices": () => ({ items: [{ provider: "demo", model: "rules", kind: "demo" }] }),
      "tools.list": () => ({ items: [], nextCursor: null, matching: 0 }),
      "interactions.list": () => [],
      "runs.examples": () => ({ items: ["what is 12*7", "weather in Oslo"] }),
      "runs.start": () => ({ id: ID }),
      "runs.send": () => ({ id: ID }),
      "runs.stop": () => ({ stopped: true }),
      "runs.resume": () => ({ id: ID }),
      "runs.get": () => {
        const end = log.findLast(({ type }) => type === "turn_ended" || type === "user_message");
        return runDetail([...log], {
          status: end?.type === "turn_ended" ? end.status : "running",
          resumable: end?.type === "turn_ended" && end.status !== "succeeded",
        });
      },
      ...part,
    },
    search,
  );
}

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message to the model" });

async function ready(api: FakeApi): Promise<void> {
  api.render(<PlaygroundView initialSettingsText={null} />);
  await screen.findAllByRole("button", { name: /^Model: rules/ });
}

async function write(text: string): Promise<void> {
  fireEvent.change(field(), { target: { value: text } });
  fireEvent.keyDown(field(), { key: "Enter" });
  await act(async () => undefined);
}

function hear(api: FakeApi, ...events: LiveEvent[]): void {
  act(() => {
    for (const event of events) api.emit(event);
  });
}

const happened = (event: RunEvent | undefined): LiveEvent => {
  if (!event) throw new Error("no such event");
  return { type: "run_event", runId: ID, event };
};

const callsTo = (api: FakeApi, path: string) => api.calls.filter((call) => call.path === path);

describe("the playground", () => {
  it("begins with the first model and examples that send, and axe finds nothing", async () => {
    const log: RunEvent[] = [];
    const api = server(log);
    await ready(api);
    expect(await findViolations()).toEqual([]);
    await screen.findByRole("list", { name: "Examples" });
    expect(callsTo(api, "runs.examples")[0]?.input).toEqual({ tools: { mode: "all" } });
    log.push(...runLog(said("weather in Oslo")));
    fireEvent.click(screen.getByRole("button", { name: /weather in Oslo/ }));
    await waitFor(() => expect(callsTo(api, "runs.start")).toHaveLength(1));
    expect(callsTo(api, "runs.start")[0]?.input).toMatchObject({
      text: "weather in Oslo",
      settings: { provider: "demo", model: "rules", tools: { mode: "all" } },
    });
    await waitFor(() => expect(api.searches.at(-1)).toContain(`run=${ID}`));
  });

  it("AGT-11 shows the message at once, then text as it streams, calls with their results, and the end", async () => {
    const whole = runLog(
      said("12*7"),
      asked(1),
      answered(1, "I will calculate.", [["calculator", '{"expression":"12*7"}']]),
      called(1, 0, "calculator", '{"expression":"12*7"}'),
      returned(1, 0, "calculator", '{"result":84}'),
      asked(2),
      answered(2, "It is **84**."),
      DONE,
    );
    const log = whole.slice(0, 2);
    const api = server(log);
    await ready(api);
    await write("12*7");
    expect(field().value).toBe("");
    await screen.findByRole("region", { name: "Turn 1" });
    hear(api, { type: "run_text", runId: ID, step: 1, text: "I will calc", offset: 0 });
    await screen.findByText("I will calc");
    hear(api, ...whole.slice(2, 4).map(happened));
    const card = await screen.findByRole("article", { name: "Call of calculator" });
    expect(card.dataset.status).toBe("running");
    log.push(...whole.slice(2));
    hear(api, ...whole.slice(4).map(happened));
    await screen.findByText("84");
    expect(card.dataset.status).toBe("succeeded");
    expect(within(card).getByRole("link", { name: "Execution of calculator" }).getAttribute("href")).toBe(
      "/executions/exec_c10",
    );
    fireEvent.click(within(card).getByRole("button", { expanded: false }));
    expect(within(card).getByRole("region", { name: "Result" }).textContent).toContain("84");
    await screen.findByRole("button", { name: "Send" });
    expect(screen.getByText(/2 model calls · 1 tool call · 200 in · 20 out/)).toBeTruthy();
  });

  it("warns beside the tool choice when more tools are selected than the provider documents as its limit", async () => {
    let count = 128;
    const choice = { provider: "openai", model: "rules", kind: "openai", maxTools: 128 };
    const listing: FakeProcedures = {
      "models.choices": () => ({ items: [choice] }),
      "tools.list": () => ({ items: [], nextCursor: null, matching: count }),
    };
    await ready(server([], listing));
    await screen.findByText("128 of 128");
    expect(screen.queryByText(/accepts at most/)).toBeNull();
    cleanup();
    count = 129;
    await ready(server([], listing));
    await screen.findByText("129 tools selected");
    expect(screen.getByText(/openai accepts at most 128 tools per request/)).toBeTruthy();
    fireEvent.click(screen.getByRole("radio", { name: "None" }));
    expect(screen.queryByText(/accepts at most/)).toBeNull();
  });

  it("AGT-11 keeps live events that arrive during the first read of the run", async () => {
    const whole = runLog(
      said("12*7"),
      asked(1),
      answered(1, "", [["calculator", '{"expression":"12*7"}']]),
      called(1, 0, "calculator", '{"expression":"12*7"}'),
    );
    let answer: (read: unknown) => void = () => undefined;
    const read = new Promise<unknown>((resolve) => {
      answer = resolve;
    });
    const api = server([], { "runs.get": () => read }, `?run=${ID}`);
    await ready(api);
    await waitFor(() => expect(callsTo(api, "runs.get").length).toBeGreaterThan(0));
    hear(api, ...whole.slice(3).map(happened));
    await act(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
    // Made up before the call began, and slow to come.
    answer(runDetail(whole.slice(0, 3), { status: "running" }));
    const card = await screen.findByRole("article", { name: "Call of calculator" });
    expect(card.dataset.status).toBe("running");
  });

  it("AGT-11 offers another try when the turn failed during the first read of the run", async () => {
    const log = runLog(said("x"), asked(1), { type: "turn_ended", status: "failed", error: "no key for openai" });
    let answer: (read: unknown) => void = () => undefined;
    const first = new Promise<unknown>((resolve) => {
      answer = resolve;
    });
    let reads = 0;
    const read = () => {
      reads += 1;
      return reads === 1 ? first : runDetail([...log], { status: "failed", resumable: true });
    };
    const api = server([], { "runs.get": read }, `?run=${ID}`);
    await ready(api);
    await waitFor(() => expect(reads).toBe(1));
    hear(api, ...log.slice(2).map(happened));
    await act(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
    answer(runDetail(log.slice(0, 2), { status: "running" }));
    await screen.findByRole("button", { name: "Try again from here" });
    expect(reads).toBe(2);
  });

  it("stops with the button and with Esc, and says so before the server has answered", async () => {
    const log = runLog(said("x"), asked(1));
    const api = server(log, { "runs.stop": () => new Promise(() => undefined) }, `?run=${ID}`);
    await ready(api);
    await screen.findByRole("button", { name: "Stop" });
    fireEvent.keyDown(document.body, { key: "Escape" });
    const stopping = await screen.findByRole<HTMLButtonElement>("button", { name: "Stopping…" });
    expect(stopping.disabled).toBe(true);
    expect(callsTo(api, "runs.stop")[0]?.input).toEqual({ id: ID });
    expect(screen.queryByText("Waiting for the model", { selector: "p.flex" })).toBeNull();
    hear(api, happened({ index: 2, at: 2_000, type: "turn_ended", status: "cancelled", error: null }));
    await screen.findByRole("button", { name: "Send" });
  });

  it("stops a conversation that has no id yet as soon as it has one", async () => {
    let answer: (run: { id: string }) => void = () => undefined;
    const started = new Promise<{ id: string }>((resolve) => {
      answer = resolve;
    });
    const api = server(runLog(said("x"), asked(1)), { "runs.start": () => started });
    await ready(api);
    await write("x");
    fireEvent.click(await screen.findByRole("button", { name: "Stop" }));
    await screen.findByRole("button", { name: "Stopping…" });
    expect(callsTo(api, "runs.stop")).toHaveLength(0);
    await act(async () => answer({ id: ID }));
    await waitFor(() => expect(callsTo(api, "runs.stop")[0]?.input).toEqual({ id: ID }));
  });

  it("sends the next message of a conversation, breaks lines with Shift, and gives back what was refused", async () => {
    const log = runLog(said("x"), asked(1), answered(1, "hello"), DONE);
    const rejectSend = () => {
      throw new Error("the run is busy");
    };
    const api = server(log, { "runs.send": rejectSend }, `?run=${ID}`);
    await ready(api);
    await screen.findByText("hello");
    fireEvent.change(field(), { target: { value: "more" } });
    fireEvent.keyDown(field(), { key: "Enter", shiftKey: true });
    expect(callsTo(api, "runs.send")).toHaveLength(0);
    await write("more");
    expect(callsTo(api, "runs.send")[0]?.input).toMatchObject({ id: ID, text: "more", settings: { model: "rules" } });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("the run is busy");
    expect(field().value).toBe("more");
    expect(screen.getAllByRole("region", { name: /^Turn/ })).toHaveLength(1);
  });

  it("offers a failed turn another try, and keeps a broken setting from being sent", async () => {
    const log = runLog(said("x"), asked(1), { type: "turn_ended", status: "failed", error: "no key for openai" });
    const api = server(log, {}, `?run=${ID}`);
    await ready(api);
    await screen.findByText("no key for openai");
    fireEvent.click(screen.getByRole("button", { name: "Try again from here" }));
    await waitFor(() => expect(callsTo(api, "runs.resume")).toHaveLength(1));
    fireEvent.change(screen.getByRole("textbox", { name: /Temperature/ }), { target: { value: "9" } });
    fireEvent.change(field(), { target: { value: "go" } });
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Send" }).disabled).toBe(true);
    expect(screen.getAllByText(/Temperature must be a number from 0 to 2/).length).toBeGreaterThan(0);
  });
});

describe("a message that is written while the model answers", () => {
  it("AGT-08 is queued by Enter and sent when the response is complete", async () => {
    const whole = runLog(said("x"), asked(1), answered(1, "hello"), DONE);
    const log = whole.slice(0, 2);
    const api = server(log, {}, `?run=${ID}`);
    await ready(api);
    await screen.findByRole("region", { name: "Turn 1" });
    await write("and then");
    const queued = await screen.findByRole("region", { name: "Queued message" });
    expect(within(queued).getByText("and then")).toBeDefined();
    expect(field().value).toBe("");
    expect(callsTo(api, "runs.send")).toEqual([]);
    log.push(...whole.slice(2));
    hear(api, ...whole.slice(2).map(happened));
    await waitFor(() => expect(callsTo(api, "runs.send")).toHaveLength(1));
    expect(callsTo(api, "runs.send")[0]?.input).toMatchObject({ id: ID, text: "and then" });
    expect(screen.queryByRole("region", { name: "Queued message" })).toBeNull();
  });

  it("goes back to the field when the turn fails, or when it is to be edited", async () => {
    const whole = runLog(said("x"), asked(1), { type: "turn_ended", status: "failed", error: "no key" });
    const log = whole.slice(0, 2);
    const api = server(log, {}, `?run=${ID}`);
    await ready(api);
    await screen.findByRole("region", { name: "Turn 1" });
    await write("one");
    await write("two");
    fireEvent.click(await screen.findByRole("button", { name: "Edit" }));
    expect(field().value).toBe("one\n\ntwo");
    fireEvent.keyDown(field(), { key: "Enter" });
    await screen.findByRole("region", { name: "Queued message" });
    log.push(...whole.slice(2));
    hear(api, ...whole.slice(2).map(happened));
    await waitFor(() => expect(field().value).toBe("one\n\ntwo"));
    expect(callsTo(api, "runs.send")).toEqual([]);
  });
});

describe("a queued message whose page is left", () => {
  it("AGT-08 is in the field on the next visit, before what was being written, and is not sent automatically", async () => {
    const whole = runLog(said("x"), asked(1), answered(1, "hello"), DONE);
    const api = server(whole.slice(0, 2), {}, `?run=${ID}`);
    await ready(api);
    await screen.findByRole("region", { name: "Turn 1" });
    await write("and then");
    await screen.findByRole("region", { name: "Queued message" });
    fireEvent.change(field(), { target: { value: "unfinished" } });
    cleanup();
    const later = server(whole, {}, `?run=${ID}`);
    await ready(later);
    await screen.findByText("hello");
    expect(field().value).toBe("and then\n\nunfinished");
    expect(screen.queryByRole("region", { name: "Queued message" })).toBeNull();
    expect([...callsTo(api, "runs.send"), ...callsTo(later, "runs.send")]).toEqual([]);
  });
});

describe("a rerun", () => {
  it("AGT-08 begins from the header with the newest message and the system prompt, both to be edited", async () => {
    const log = runLog(
      said("hello"),
      asked(1),
      answered(1, "Hi"),
      DONE,
      said("weather in Oslo"),
      asked(2),
      answered(2, "Cold"),
      DONE,
    );
    const api = server(log, { "runs.rerun": () => ({ id: "run_copy00000" }) }, `?run=${ID}`);
    await ready(api);
    fireEvent.click(await screen.findByRole("button", { name: "Rerun…" }));
    const dialog = await screen.findByRole("dialog", { name: "Edit message and rerun" });
    expect(within(dialog).getByRole<HTMLTextAreaElement>("textbox", { name: "Message required" }).value).toBe(
      "weather in Oslo",
    );
    fireEvent.change(within(dialog).getByRole("textbox", { name: "System prompt" }), { target: { value: "Be brief" } });
    fireEvent.click(within(dialog).getByRole("button", { name: "Start" }));
    await waitFor(() => expect(api.visited).toEqual(["/runs/run_copy00000"]));
    expect(callsTo(api, "runs.rerun")[0]?.input).toMatchObject({ fromStep: 2, settings: { instructions: "Be brief" } });
  });

  it("a message is edited and the run repeated from there", async () => {
    const log = runLog(said("weather in Oslo"), asked(1), answered(1, "Cold"), DONE);
    const api = server(log, { "runs.rerun": () => ({ id: "run_copy00000" }) }, `?run=${ID}`);
    await ready(api);
    fireEvent.click(await screen.findByRole("button", { name: "Edit message and rerun" }));
    const dialog = await screen.findByRole("dialog", { name: "Edit message and rerun" });
    const text = within(dialog).getByRole<HTMLTextAreaElement>("textbox", { name: "Message required" });
    expect(text.value).toBe("weather in Oslo");
    fireEvent.change(text, { target: { value: "weather in Lima" } });
    fireEvent.click(within(dialog).getByRole("button", { name: "Start" }));
    await waitFor(() => expect(api.visited).toEqual(["/runs/run_copy00000"]));
    expect(callsTo(api, "runs.rerun")[0]?.input).toEqual({
      id: ID,
      fromStep: 1,
      results: "recorded",
      text: "weather in Lima",
    });
  });
});

it("hides and shows the settings beside the conversation", async () => {
  const save = vi.fn(async () => new Response());
  vi.stubGlobal("fetch", save);
  server([]).render(
    <PreferencesProvider initial={DEFAULT_PREFERENCES} mac={false}>
      <PlaygroundView initialSettingsText={null} />
    </PreferencesProvider>,
  );
  await screen.findAllByRole("button", { name: /^Model: rules/ });
  fireEvent.click(screen.getByRole("button", { name: "Hide settings" }));
  expect(screen.queryByRole("complementary", { name: "Settings" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Show settings" }));
  expect(screen.getByRole("complementary", { name: "Settings" })).toBeTruthy();
  expect(save).toHaveBeenCalledTimes(2);
  vi.unstubAllGlobals();
});

describe("a playground that is left", () => {
  const prompt = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: /^System prompt/ });
  const choice = () => screen.getByRole<HTMLSelectElement>("combobox", { name: "Tool choice", hidden: true });

  it("restores message, system prompt and tool choice of that conversation, and none after they are sent", async () => {
    const log = runLog(said("x"), asked(1), answered(1, "hello"), DONE);
    await ready(server(log));
    fireEvent.change(field(), { target: { value: "half a message" } });
    fireEvent.change(prompt(), { target: { value: "Be brief" } });
    fireEvent.change(choice(), { target: { value: "required" } });
    cleanup();

    await ready(server(log, {}, `?run=${ID}`));
    expect(field().value).toBe("");
    cleanup();

    await ready(server(log));
    await screen.findByText("Restored your unsaved draft.");
    expect([field().value, prompt().value, choice().value]).toEqual(["half a message", "Be brief", "required"]);
    fireEvent.keyDown(field(), { key: "Enter" });
    await screen.findByText("hello");
    expect(prompt().value).toBe("Be brief");
    expect(sessionStorage.length).toBe(0);
  });

  it("keeps a message that is written while the conversation gets its run", async () => {
    let answer: (run: { id: string }) => void = () => undefined;
    const started = new Promise<{ id: string }>((resolve) => {
      answer = resolve;
    });
    const api = server(runLog(said("x"), asked(1)), { "runs.start": () => started });
    await ready(api);
    await write("x");
    fireEvent.change(field(), { target: { value: "next" } });
    await act(async () => answer({ id: ID }));
    await waitFor(() => expect(api.searches.at(-1)).toContain(`run=${ID}`));
    expect(field().value).toBe("next");
    expect(Object.keys(sessionStorage)).toEqual([`toolroom.kept.playground.${ID}`]);
  });
});
