import { describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { silentLogger } from "../../create-tool-engine";
import { openCopies } from "../../platform/coordination/postgres/coordination-copies.test-support";
import { STEADY_TIMING } from "../../platform/coordination/single-copy.test-support";
import { openPostgres } from "../../platform/db/postgres/postgres-database";
import { HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createTranscriptStore } from "./db/transcript-store";
import { queriesOf, startTranscripts, testSettings } from "./transcript.test-support";

async function openServers(count: number) {
  const { copies, url } = await openCopies(count, STEADY_TIMING);
  const open = async (coordination: (typeof copies)[number]) => {
    const db = await openPostgres({ url, logger: silentLogger });
    const { id } = coordination.copies.self;
    const store = createTranscriptStore({ db, owner: id });
    const server = await startTranscripts({ db }, { ...coordination, store });
    coordination.copies.onLost(server.service.settleLost);
    onTestFinished(async () => {
      await server.stop();
      await db.close();
    });
    return {
      ...server,
      store,
      id,
      expel: () => db.pool.query(`UPDATE "Copy" SET "endedAt" = clock_timestamp() WHERE "id" = $1`, [id]),
    };
  };
  return await Promise.all(copies.map(open));
}

type Server = Awaited<ReturnType<typeof openServers>>[number];
const say = ({ service }: Server, id: string, text: string) =>
  service.append(LOCAL_OWNER, id, [{ text, speaker: null, atMs: null }]);

describe.skipIf(!HAS_POSTGRES)("a transcript, with several copies of the server", { timeout: 60_000 }, () => {
  it("AGT-13 takes segments on any copy, and each query is asked once, also one that begins on one copy and ends on another", async () => {
    const servers = await openServers(3);
    const [first, second, third] = servers as [Server, Server, Server];
    const { id } = await first.service.create(LOCAL_OWNER, testSettings());
    await say(second, id, "Hey Tool");
    await say(third, id, "room, one?");
    await waitUntil(async () => (await queriesOf(second.service, id)).length === 1);
    await Promise.all(servers.map((server, at) => say(server, id, `Hey Toolroom, ${at}?`)));
    await third.service.close(LOCAL_OWNER, id);
    expect((await first.service.get(id)).status).toBe("closed");
    const queries = await queriesOf(first.service, id);
    expect(queries).toHaveLength(4);
    await expect(say(second, id, "late")).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("AGT-13 is searched on by one other copy after its own is lost, which can keep nothing any more", async () => {
    const servers = await openServers(3);
    const [first, ...others] = servers as [Server, Server, Server];
    const { id } = await first.service.create(LOCAL_OWNER, testSettings({ silenceMs: 60_000 }));
    await say(first, id, "Hey Tool");
    await first.expel();
    await waitUntil(async () => {
      const owner = (await first.store.find(id))?.owner;
      return others.some((each) => each.id === owner);
    });
    await say(others[0], id, "room, one? Hey Toolroom, two?");
    await others[1].service.close(LOCAL_OWNER, id);
    expect((await queriesOf(others[0].service, id)).length).toBe(2);
    await expect(first.store.keep(id, { heardSeq: 0, transcriber: {} as never }, [])).rejects.toThrow();
  });

  it("AGT-13 is left to another copy by one that stops, and its answers reach subscribers of every copy", async () => {
    const [first, second] = (await openServers(2)) as [Server, Server];
    const { id } = await first.service.create(LOCAL_OWNER, testSettings());
    const ended = new AbortController();
    onTestFinished(() => ended.abort());
    const answers = second.service.answers(id, "0", ended.signal);
    const next = answers.next();
    await say(first, id, "Hey Toolroom, one?");
    await waitUntil(() => first.runs.requests.length === 1);
    const [request] = first.runs.requests;
    await first.runs.end(request?.id ?? "", "succeeded", "It is noon");
    first.service.noteRun({ id: request?.id ?? "", status: "succeeded", transcriptId: id });
    expect((await next).value?.query.answer).toBe("It is noon");
    await first.stop();
    await waitUntil(async () => (await second.store.find(id))?.owner === second.id);
  });
});
