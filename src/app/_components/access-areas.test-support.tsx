import type { ReactElement } from "react";
import { SuiteView } from "@/app/_components/suites/suite-view";
import type { FakeProcedures } from "@/app/_kit/fake-api.test-support";
import type { Permission } from "@/lib/contract/access";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import type { PendingInteraction } from "@/lib/contract/interaction";
import { AfterDecision } from "./approvals/detail/after-decision";
import { ApprovalCard } from "./approvals/detail/approval-card";
import { BulkBar } from "./approvals/list/bulk-bar";
import { approvalItem } from "./approvals/summary/approval.test-support";
import { RunAllowances } from "./approvals/summary/run-allowances";
import { RunningPanel } from "./executions/result/running-panel";
import { executionDetail } from "./executions/summary/execution.test-support";
import { ReplayButton } from "./executions/summary/replay-button";
import { QuestionCard } from "./interactions/question-card";
import { ModelsView } from "./models/list/models-view";
import { ServerView } from "./servers/detail/server-view";
import { EditServerView } from "./servers/form/edit-server-view";
import { NewServerView } from "./servers/form/new-server-view";
import { serverDetail, serverSummary } from "./servers/summary/server.test-support";
import { ServerRowMenu } from "./servers/summary/server-row-menu";
import { EVAL_SUITE } from "./suites/eval-suite.test-support";
import { ToolRowMenu } from "./tools/actions/tool-row-menu";
import { ApprovalSetting } from "./tools/detail/definition-summary";
import { NewToolView } from "./tools/editor/new-tool-view";
import { Runner } from "./tools/runner/runner";
import { toolDetail } from "./tools/summary/tool.test-support";

/** A place with controls, and what they need. */
export interface Area {
  name: string;
  needs: Permission;
  element: ReactElement;
  procedures?: FakeProcedures;
  search?: string;
  /** Opens the menu that holds the controls. */
  opener?: string;
  controls: [role: "button" | "menuitem" | "link" | "combobox" | "option", name: string | RegExp][];
}

const { definition } = executionDetail();
if (definition === null) throw new Error("the test's execution has a definition");
const QUESTION: PendingInteraction = {
  id: "ask_access",
  server: "files",
  executionId: null,
  runId: null,
  toolName: null,
  askedAt: 1_000,
  request: { kind: "form", message: "Which?", schema: { type: "object", properties: {} } },
};
const REMOTE = {
  name: "files",
  transport: "http" as const,
  protocol: "auto" as const,
  url: "https://mcp.example.org",
  headers: [],
  roots: [],
  auth: { type: "none" },
} as unknown as ReturnType<typeof serverDetail>["settings"];
const remote = serverDetail({
  transport: "http",
  target: "https://mcp.example.org",
  settings: REMOTE,
  signedIn: true,
  listedCount: 1,
});
const SERVER: FakeProcedures = {
  "servers.names": () => [],
  "servers.tools": () => ({ items: [], total: 0, matching: 0, unusable: 0, nextCursor: null }),
  "servers.checkSettings": () => ({ problems: [], notes: [] }),
};
export const EDITOR: FakeProcedures = {
  "tools.handlers": () => ({ builtin: [], internal: [], parameters: { builtin: [], internal: [] } }),
  "tools.checkDefinition": () => ({ problems: [], quality: [] }),
};
const LOCAL = {
  name: "local",
  kind: "openai-compatible",
  origin: "console",
  baseUrl: "http://127.0.0.1:8000/v1",
  key: { state: "none", variable: null },
  models: ["qwen"],
  prices: [],
  problem: null,
};
export const MODELS: FakeProcedures = {
  "models.providers": () => ({ items: [LOCAL] }),
  "models.choices": () => ({ items: [{ provider: "demo", model: "rules", kind: "demo" }] }),
};
const EVAL = {
  id: "eval_1",
  suite: "shop",
  question: "Where is it?",
  expected: ["echo"],
  forbidden: [],
  toolset: null,
  context: [],
  origin: null,
  createdAt: 0,
  lastEdit: { revision: 1, by: null, at: 0 },
};
const EVALS: FakeProcedures = {
  "suites.get": () => EVAL_SUITE,
  "suites.evals": () => [EVAL],
  "suites.runs": () => ({ items: [], nextCursor: null }),
};
const noActions = {
  reconnect: fail,
  setEnabled: fail,
  signIn: fail,
  signOut: fail,
  remove: fail,
  busy: { reconnecting: null, signingIn: null },
};

/** For what must not be called. */
export function fail(): never {
  throw new Error("a denied control acted");
}

export const AREAS: Area[] = [
  {
    name: "running a tool",
    needs: "run",
    element: (
      <Runner
        toolName="get_weather"
        definition={definition}
        initialText="{}"
        parentId="exec_aaaaaaaa1"
        onExecution={fail}
      />
    ),
    procedures: { "tools.validateArguments": () => ({ valid: false, faults: [FAULT()] }) },
    controls: [
      ["button", /^Run/],
      ["button", "Run anyway"],
    ],
  },
  {
    name: "canceling and replaying an execution",
    needs: "run",
    element: (
      <>
        <RunningPanel execution={executionDetail({ status: "running", resultText: null })} />
        <ReplayButton executionId="exec_aaaaaaaa1" />
      </>
    ),
    procedures: { "interactions.list": () => [] },
    controls: [
      ["button", "Cancel call"],
      ["button", "Replay"],
    ],
  },
  {
    name: "an approval",
    needs: "run",
    element: (
      <>
        <ApprovalCard executionId="exec_aaaaaaaa1" />
        <AfterDecision item={approvalItem({ status: "approved" })} />
        <BulkBar selected={["exec_aaaaaaaa1"]} onDecided={fail} />
        <RunAllowances runId="run_aaaaaaaa1" />
      </>
    ),
    procedures: {
      "approvals.get": () => approvalItem(),
      "approvals.allowances": () => ({
        items: [{ executionId: "exec_b", toolName: "echo", grantedAt: 1, grantedBy: { id: "a", name: "Ada" } }],
      }),
    },
    controls: [
      ["button", "Approve"],
      ["button", "Always allow in this run"],
      ["button", "Edit arguments"],
      ["button", "Reject…"],
      ["button", "Approve 1"],
      ["button", "Reject 1…"],
      ["button", "Revoke echo"],
    ],
  },
  {
    name: "the request of a server",
    needs: "run",
    element: <QuestionCard interaction={QUESTION} />,
    controls: [
      ["button", "Submit"],
      ["button", "Decline"],
      ["button", "Dismiss request"],
    ],
  },
  {
    name: "the menu of a tool",
    needs: "edit",
    element: (
      <ToolRowMenu
        tool={toolDetail({ origin: "console", editable: true }) as ToolSummary}
        actions={{ setEnabled: fail, remove: fail }}
      />
    ),
    opener: "Actions for get_weather",
    controls: [
      ["menuitem", "Edit"],
      ["menuitem", "Duplicate"],
      ["menuitem", "Disable"],
      ["menuitem", "Delete"],
    ],
  },
  {
    name: "the approval setting of a tool",
    needs: "edit",
    element: <ApprovalSetting tool={toolDetail()} />,
    controls: [["combobox", "Approval"]],
  },
  {
    name: "the editor of a tool, opened by its address",
    needs: "edit",
    element: <NewToolView />,
    procedures: EDITOR,
    controls: [["button", /^Create tool/]],
  },
  {
    name: "a server that is reached by its address",
    needs: "edit",
    element: <ServerView name="files" />,
    procedures: { ...SERVER, "servers.get": () => remote },
    controls: [
      ["button", "Reconnect"],
      ["button", "Disable"],
      ["link", "Edit"],
      ["combobox", "Approval policy"],
    ],
  },
  {
    name: "the menu of a server that is started by a command",
    needs: "administer",
    element: <ServerRowMenu server={serverSummary({})} actions={noActions} />,
    opener: "Actions for files",
    controls: [
      ["menuitem", "Disable"],
      ["menuitem", "Edit"],
      ["menuitem", "Delete"],
    ],
  },
  {
    name: "the form of a server that is reached by its address",
    needs: "edit",
    element: <EditServerView name="files" />,
    procedures: { ...SERVER, "servers.get": () => remote },
    controls: [["button", /^Save and reconnect/]],
  },
  {
    name: "the form of a new server that is started by a command",
    needs: "administer",
    element: <NewServerView />,
    procedures: SERVER,
    controls: [["button", /^Add and connect/]],
  },
  {
    name: "model providers",
    needs: "administer",
    element: <ModelsView />,
    procedures: MODELS,
    controls: [
      ["button", "Add provider"],
      ["button", "Test local"],
      ["button", "Edit local"],
      ["button", "Delete local"],
    ],
  },
  {
    name: "a suite of evals",
    needs: "edit",
    element: <SuiteView name="shop" />,
    procedures: EVALS,
    controls: [
      ["button", "Delete"],
      ["button", "Settings"],
      ["button", "Add eval"],
      ["button", "Edit: Where is it?"],
      ["button", "Delete: Where is it?"],
    ],
  },
  {
    name: "running a suite of evals",
    needs: "run",
    element: <SuiteView name="shop" />,
    procedures: EVALS,
    controls: [["button", "Run with a model"]],
  },
];

function FAULT() {
  return { pointer: "/location", path: "location", keyword: "required", message: "is required" };
}
