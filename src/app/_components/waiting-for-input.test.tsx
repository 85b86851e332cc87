// @vitest-environment happy-dom
import { act, screen, waitFor, within } from "@testing-library/react";
import { Suspense } from "react";
import { beforeEach, describe, expect, it } from "vitest";
import { CompareView } from "@/app/_components/executions/compare/compare-view";
import { ExecutionView } from "@/app/_components/executions/detail/execution-view";
import { ExecutionsView } from "@/app/_components/executions/list/executions-view";
import { RunningPanel } from "@/app/_components/executions/result/running-panel";
import { executionDetail, executionSummary } from "@/app/_components/executions/summary/execution.test-support";
import { InboxButton } from "@/app/_components/interactions/inbox-button";
import { PlaygroundView } from "@/app/_components/playground/playground-view";
import { ConversationList } from "@/app/_components/runs/list/conversation-list";
import { runDetail, runReading, runSummary } from "@/app/_components/runs/summary/run.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { PendingInteraction } from "@/lib/contract/interaction";
import { answered, asked, called, runLog, said } from "@/lib/run/run-log.test-support";

const RUN = "run_aaaaaaaa1";
/** The id that `called` gives a call. */
const CALL = "exec_c10";
const running = { status: "running", finishedAt: null, durationMs: null } as const;
const QUESTION: PendingInteraction = {
  id: "ask_1",
  server: "files",
  executionId: CALL,
  runId: RUN,
  toolName: "files__ask",
  askedAt: Date.now(),
  request: { kind: "form", message: "Which folder?", schema: { type: "object", properties: {} } },
};

let pending: PendingInteraction[];
beforeEach(() => {
  pending = [QUESTION];
});

function server(search = ""): FakeApi {
  const row = executionSummary({ ...running, id: CALL, runId: RUN });
  const log = runLog(said("ask"), asked(1), answered(1, "", [["files__ask", "{}"]]), called(1, 0, "files__ask"));
  return fakeApi(
    {
      "interactions.list": () => [...pending],
      "executions.list": () => ({ items: [row], nextCursor: null }),
      "executions.facets": () => ({ tools: [], actors: [] }),
      "executions.get": ({ id }: { id: string }) =>
        id === "exec_done00000"
          ? executionDetail({ id })
          : executionDetail({
              ...running,
              id,
              source: "api",
              implementationType: "mcp",
              timeoutMs: 30_000,
              resultText: null,
            }),
      "runs.list": () => ({ items: [runSummary({ id: RUN, status: "running", finishedAt: null })], nextCursor: null }),
      "runs.get": () => runDetail(log, { id: RUN, status: "running", finishedAt: null }),
      ...runReading(() => log),
      "models.choices": () => ({ items: [] }),
    },
    search,
  );
}

async function show(element: React.ReactNode, search?: string): Promise<FakeApi> {
  const api = server(search);
  await act(async () => {
    api.render(<Suspense>{element}</Suspense>);
  });
  return api;
}

const badge = () => screen.findAllByText("waiting for input");

describe("a call whose server requests input", () => {
  it("waits for input in the list of executions, and runs again once it is answered", async () => {
    const api = await show(
      <>
        <InboxButton />
        <ExecutionsView askedAt={0} />
      </>,
    );
    expect((await badge())[0]?.dataset.status).toBe("waiting");
    pending = [];
    act(() => api.emit({ type: "interactions" }));
    await waitFor(() => expect(screen.queryByText("waiting for input")).toBeNull());
    expect(screen.getByText("running")).toBeDefined();
  });

  it("is found by the status in the address, and leaves the list once it is answered", async () => {
    const api = await show(<ExecutionsView askedAt={0} />, "?status=input");
    await screen.findByRole("link", { name: new RegExp(CALL) });
    const reads = () => api.calls.filter(({ path }) => path === "executions.list");
    expect(reads()[0]?.input).toMatchObject({ filter: { status: ["input"] } });
    const before = reads().length;
    act(() => api.emit({ type: "interactions" }));
    await waitFor(() => expect(reads().length).toBeGreaterThan(before));
  });

  it("shows once that its timeout is paused, with the form below, and tells cancelling it from dismissing the request", async () => {
    const call = executionDetail({ ...running, id: CALL, implementationType: "mcp", timeoutMs: 30_000 });
    await show(<RunningPanel execution={call} />);
    expect(await screen.findByText(/^Timeout paused/)).toBeDefined();
    expect(screen.queryByText(/^Times out/)).toBeNull();
    const form = await screen.findByRole("article", { name: "Request from files" });
    expect(within(form).getByRole("button", { name: "Dismiss request" })).toBeDefined();
    expect(screen.getByRole("button", { name: "Cancel call" })).toBeDefined();
  });

  it("has one status and one source on its page", async () => {
    await show(<ExecutionView id={CALL} />);
    expect(await badge()).toHaveLength(1);
    expect(screen.queryByText("running")).toBeNull();
    expect(screen.getAllByText("API")).toHaveLength(1);
  });

  it("says so in a comparison, with its form in view", async () => {
    await show(<CompareView leftId="exec_done00000" rightId={CALL} />);
    expect(await screen.findByText(`${CALL} is waiting for input`)).toBeDefined();
    expect(await badge()).toHaveLength(1);
    expect(await screen.findByRole("article", { name: "Request from files" })).toBeDefined();
  });
});

describe("a run whose call waits for input", () => {
  it("waits for input in the list of runs", async () => {
    await show(<ConversationList pathname="/runs" />);
    expect((await badge())[0]?.dataset.status).toBe("waiting");
  });

  it.each([
    ["", 2],
    ["?view=timeline", 1],
  ])("says so on its page, with the form in view (%s)", async (search, badges) => {
    await show(<PlaygroundView runId={RUN} initialSettingsText={null} />, search);
    expect(await badge()).toHaveLength(badges);
    const form = await screen.findByRole("article", { name: "Request from files" });
    expect(within(form).getByText("Which folder?")).toBeDefined();
    expect(screen.getByText(/^Timeout paused/)).toBeDefined();
  });
});
