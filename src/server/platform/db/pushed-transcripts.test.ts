import { expect, it } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { MIGRATIONS } from "./migrate.test-support";
import { readMigrations } from "./migration-files";

const NAME = "20261226000000_pushed_transcripts";
const SETTINGS = { title: "Talk", wakePhrases: ["hey toolroom"], provider: "demo", model: "demo" };
const FILE = { kind: "file", path: "talk.txt" };
const SEARCH = { transcriber: { recent: [] }, heardSeq: 7 };

it("AGT-13 an upgrade makes transcripts of watched files ordinary ones, whose search continues, and drops addresses of webhooks", () => {
  const migrations = readMigrations(MIGRATIONS);
  const at = migrations.findIndex(({ name }) => name === NAME);
  const raw = new Sqlite(":memory:");
  for (const { sql } of migrations.slice(0, at)) raw.exec(sql);
  const add = raw.prepare(
    `INSERT INTO "Transcript" ("id", "title", "status", "error", "createdAt", "settings", "progress") VALUES (?, 'Talk', ?, ?, 1, ?, ?)`,
  );
  const settings = JSON.stringify({ ...SETTINGS, source: FILE, webhookUrl: "https://a/…", sealedWebhookUrl: "v1.x" });
  const faults = { "query_a-1": "No key" };
  add.run("t_open", "open", "The file does not exist", settings, JSON.stringify({ ...SEARCH, file: FILE, faults }));
  add.run("t_failed", "failed", "The file is gone", settings, JSON.stringify({ transcriber: null, heardSeq: 0 }));
  add.run("t_damaged", "open", null, "{", "{");
  const ask = raw.prepare(
    `INSERT INTO "TranscriptQuery" ("id", "transcriptId", "text", "wakePhrase", "fromSeq", "toSeq", "askedAt", "webhookState")
     VALUES (?, ?, 'q', 'w', 1, 1, 1, 'failed')`,
  );
  for (const id of ["query_a-1", "query_b"]) ask.run(id, "t_open");
  ask.run("query_c", "t_damaged");
  raw.exec(migrations[at]?.sql ?? "");

  const rows = raw.prepare(`SELECT * FROM "Transcript" ORDER BY "seq"`).all() as Record<string, string>[];
  expect(rows.map(({ id, status }) => [id, status])).toEqual([
    ["t_open", "open"],
    ["t_failed", "closed"],
    ["t_damaged", "open"],
  ]);
  for (const { settings } of rows.slice(0, 2)) expect(JSON.parse(settings ?? "")).toEqual(SETTINGS);
  expect(rows.map(({ progress }) => progress)).toEqual([JSON.stringify(SEARCH), null, "{"]);
  expect(raw.prepare(`SELECT "id", "error" FROM "TranscriptQuery" ORDER BY "seq"`).raw().all()).toEqual([
    ["query_a-1", "No key"],
    ["query_b", null],
    ["query_c", null],
  ]);
  raw.close();
});
