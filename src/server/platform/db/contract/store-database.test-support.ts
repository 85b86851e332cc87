import { afterEach, beforeEach } from "vitest";
import type { ApprovalStore } from "../../../calls/approvals/approval-store";
import type { ExecutionStore } from "../../../calls/executions/execution-store";
import type { SpendStore } from "../../../calls/spend/spend-store";
import type { Clock } from "../../../engine/ports";
import type { CountedCallReader } from "../../../engine/rules/call-counts";
import type { AlertStore } from "../../../features/alerts/alert-store";
import type { CallEventStore, CassetteStore } from "../../../features/cassettes/cassette-store";
import type { ReportStore } from "../../../features/changes/report-store";
import type { TrafficStore } from "../../../features/changes/traffic-store";
import type { AskedInputStore } from "../../../features/clients/asked-inputs";
import type { ClientStore } from "../../../features/clients/client-store";
import type { ConformanceStore } from "../../../features/conformance/conformance-store";
import type { SkillGateStore } from "../../../features/content/gate/skill-gate-store";
import type { ModelProviderStore } from "../../../features/models/model-provider-store";
import type { LimitCounts } from "../../../features/rules/limit-counts";
import type { RuleCaseStore } from "../../../features/rules/rule-case-store";
import type { RuleStore } from "../../../features/rules/rule-store";
import type { RunStore } from "../../../features/runs/run-store";
import type { SamplingStore } from "../../../features/sampling/sampling-store";
import type { SecretBox, ServerStore } from "../../../features/servers/server-store";
import type { UpstreamCredentialStore } from "../../../features/servers/upstream-credential-service";
import type { OwnSkillStore } from "../../../features/skills/own-skill-store";
import type { EvalStore } from "../../../features/suites/suite-eval-store";
import type { SuiteStore } from "../../../features/suites/suite-store";
import type { ToolStore } from "../../../features/tools/tool-store";
import type { ToolsetStore } from "../../../features/toolsets/toolset-store";
import type { TranscriptStore } from "../../../features/transcripts/transcript-store";
import type { ViewStore } from "../../../features/views/view-store";
import type { SessionStore } from "../../../mcp/gateway/session-store";
import type { TaskStore } from "../../../mcp/gateway/tasks/task-store";

/** An empty database of one kind with its stores. */
export interface StoreDatabase {
  tools(options?: { clock: Pick<Clock, "now"> }): ToolStore;
  toolsets(options: { clock: Clock }): ToolsetStore;
  ownSkills(options: { clock: Clock }): OwnSkillStore;
  skillGates(): SkillGateStore;
  servers(options: { secretBox: SecretBox }): ServerStore;
  upstreamCredentials(options: { secretBox: SecretBox }): UpstreamCredentialStore;
  modelProviders(options: { secretBox: SecretBox; clock: Clock }): ModelProviderStore;
  evals(): EvalStore;
  suites(owner?: string): SuiteStore;
  transcripts(): TranscriptStore;
  /** @param owner the instance of the server that writes */
  runs(owner?: string): RunStore;
  changeReports(): ReportStore;
  /** @param owner the instance of the server that writes */
  conformance(owner: string): ConformanceStore;
  traffic(): TrafficStore;
  approvals(): ApprovalStore;
  /** The test closes it. */
  executions(options: { instanceId: string; clock?: Clock }): ExecutionStore;
  gatewaySessions(): SessionStore;
  gatewayTasks(): TaskStore;
  cassettes(clock: Clock): { cassettes: CassetteStore; callEvents: CallEventStore };
  views(): ViewStore;
  alerts(): AlertStore;
  rules(): RuleStore;
  limits(clock?: Pick<Clock, "now">): LimitCounts;
  countedCalls(): CountedCallReader;
  ruleCases(): RuleCaseStore;
  spend(): SpendStore;
  clients(): ClientStore;
  sampling(): SamplingStore;
  askedInputs(): AskedInputStore;
  /** Closes the database and opens it again; earlier stores cannot be used any more. */
  restart(): Promise<void>;
  /** SQL that every kind of database takes, for damage that no store can do. */
  execute(sql: string): Promise<void>;
  count(table: string): Promise<number>;
  /** The result of SQL that runs on each kind of database. */
  rows<Row>(sql: string): Promise<Row[]>;
  /** Ends the calls that ended processes left running, as a start does. */
  interruptOrphans(): Promise<void>;
  /** Everything that is stored, as the database stores it. */
  readContent(): Promise<string>;
  remove(): Promise<void>;
}

export type CreateDatabase = () => Promise<StoreDatabase>;

/** A new database for each test of the block that calls this. */
export function useDatabase(createDatabase: CreateDatabase): () => StoreDatabase {
  let database: StoreDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.remove());
  return () => database;
}
