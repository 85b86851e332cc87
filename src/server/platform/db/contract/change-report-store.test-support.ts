import { beforeEach, describe, expect, it } from "vitest";
import type { ChangeReplay } from "../../../../lib/contract/change-review";
import type { TrafficVerdict } from "../../../../lib/contract/change-verdict";
import { anEnd, aStart } from "../../../calls/executions/execution.test-support";
import type { ReportStore } from "../../../features/changes/report-store";
import type { TrafficStore } from "../../../features/changes/traffic-store";
import { testSecretBox } from "../../../features/servers/server.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const ADA = { id: "ada", name: "Ada" };
const BO = { id: "bo", name: "Bo" };
const CHANGE = { server: "files", tool: "read", hash: "h1" };
const TRAFFIC = { tool: "read", total: 2, broken: 1 } as TrafficVerdict;
const REPLAY = { status: "running", startedAt: 5, by: ADA } as ChangeReplay;

export function describeChangeReports(createDatabase: CreateDatabase): void {
  describe("reports of changes that wait", () => {
    const database = useDatabase(createDatabase);
    let store: ReportStore;
    beforeEach(() => {
      store = database().changeReports();
    });
    const write = (change: typeof CHANGE, brokenIds: string[]) =>
      store.writeTraffic(change, { traffic: TRAFFIC, brokenIds, at: 7 });

    it("keep traffic and replay of one change together, and forget both with the next change of the tool", async () => {
      await write(CHANGE, ["exec_2", "exec_1"]);
      await store.writeReplay(CHANGE, REPLAY);
      expect(await store.list("files")).toEqual([{ ...CHANGE, judgedAt: 7, traffic: TRAFFIC, replay: REPLAY }]);
      await write(CHANGE, ["exec_3"]);
      expect(await store.list("files")).toMatchObject([{ replay: REPLAY }]);
      expect(await store.listBroken("h1")).toEqual(["exec_3"]);
      await write({ ...CHANGE, hash: "h2" }, []);
      expect(await store.list("files")).toMatchObject([{ hash: "h2", replay: null }]);
      await store.writeReplay({ ...CHANGE, hash: "h3" }, REPLAY);
      expect(await store.list("files")).toEqual([
        { ...CHANGE, hash: "h3", judgedAt: null, traffic: null, replay: REPLAY },
      ]);
      expect(await store.listBroken("h1")).toEqual([]);
    });

    it("go when their change no longer waits and with their server, and follow it to another name", async () => {
      await write(CHANGE, []);
      await write({ ...CHANGE, tool: "write" }, []);
      await store.keepOnly("files", ["write"]);
      expect((await store.list("files")).map(({ tool }) => tool)).toEqual(["write"]);
      await store.setReplayable("files", ["write"], ADA, 3);
      const servers = database().servers({ secretBox: testSecretBox() });
      await servers.rename("files", "disk");
      expect(await store.listAll()).toMatchObject([{ server: "disk", tool: "write" }]);
      expect(await store.replayable("disk")).toEqual([{ tool: "write", by: ADA, at: 3 }]);
      await servers.forget("disk");
      expect([await store.listAll(), await store.replayable("disk")]).toEqual([[], []]);
    });

    it("a tool stays allowed by the user who allowed it first", async () => {
      await store.setReplayable("files", ["read", "list"], ADA, 3);
      await store.setReplayable("files", ["read", "stat"], BO, 4);
      expect(await store.replayable("files")).toEqual([
        { tool: "read", by: ADA, at: 3 },
        { tool: "stat", by: BO, at: 4 },
      ]);
    });
  });

  describe("recorded calls that are checked", () => {
    const database = useDatabase(createDatabase);

    it("are the ended ones of a tool, newest first, apart from those of tests and evals, and cut results are none", async () => {
      const executions = database().executions({ instanceId: "inst_test" });
      const traffic: TrafficStore = database().traffic();
      const record = async (start: Parameters<typeof aStart>[0], end: Parameters<typeof anEnd>[1] | null = {}) => {
        const started = aStart(start);
        await executions.begin(started);
        if (end !== null) await executions.finish(started, anEnd(started, end));
        return started.id;
      };
      const first = await record({ argumentsText: '{"location": "Oslo" }', client: "cli/1" });
      const cut = await record({}, { resultTruncated: true });
      const ofEval = await record({ source: "check" });
      const ofTest = await record({ source: "test" });
      await record({ source: "check", client: "change-check" });
      await record({ source: "import" });
      await record({ toolName: "another" });
      await record({}, null);
      await executions.drain();
      const heads = await traffic.heads("get_weather", "clients", Number.MAX_SAFE_INTEGER, 10);
      expect(heads.map(({ id, client, resultTruncated }) => [id, client, Number(resultTruncated)])).toEqual([
        [cut, null, 1],
        [first, "cli/1", 0],
      ]);
      const suites = await traffic.heads("get_weather", "suites", Number.MAX_SAFE_INTEGER, 10);
      expect(suites.map(({ id }) => id)).toEqual([ofTest, ofEval]);
      const [newest, oldest] = heads.map(({ seq }) => seq);
      expect(await traffic.heads("get_weather", "clients", newest ?? 0, 10)).toHaveLength(1);
      const texts = await traffic.texts("get_weather", "clients", { first: newest ?? 0, last: oldest ?? 0 }, true);
      expect(texts.map(({ argumentsText, resultText }) => [argumentsText, resultText])).toEqual([
        ['{"location":"Wellington"}', null],
        ['{"location": "Oslo" }', '{"temperature":17}'],
      ]);
      await executions.close();
    });
  });
}
