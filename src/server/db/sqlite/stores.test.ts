import { describe } from "vitest";
import { describeApprovalCallers, describeApprovalStore } from "../contract/approval-store.test-support";
import { describeGatewaySessionStore } from "../contract/gateway-session-store.test-support";
import { describeModelCheckStore } from "../contract/model-check-store.test-support";
import { describeModelProviderStore } from "../contract/model-provider-store.test-support";
import { describeRunLog, describeRunStore } from "../contract/run-store.test-support";
import { describeServerStore } from "../contract/server-store.test-support";
import { describeToolPins } from "../contract/tool-pins.test-support";
import { describeToolStore } from "../contract/tool-store.test-support";
import { describeToolVersions } from "../contract/tool-versions.test-support";
import { describeTranscriptQueries, describeTranscriptStore } from "../contract/transcript-store.test-support";
import { createSqliteDatabase } from "./store-database.test-support";

describe("stores on SQLite", () => {
  describeToolStore(createSqliteDatabase);
  describeToolVersions(createSqliteDatabase);
  describeServerStore(createSqliteDatabase);
  describeToolPins(createSqliteDatabase);
  describeModelProviderStore(createSqliteDatabase);
  describeModelCheckStore(createSqliteDatabase);
  describeRunStore(createSqliteDatabase);
  describeRunLog(createSqliteDatabase);
  describeTranscriptStore(createSqliteDatabase);
  describeTranscriptQueries(createSqliteDatabase);
  describeApprovalStore(createSqliteDatabase);
  describeApprovalCallers(createSqliteDatabase);
  describeGatewaySessionStore(createSqliteDatabase);
});
