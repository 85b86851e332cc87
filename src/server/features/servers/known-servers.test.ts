import { expect, it } from "vitest";
import { createKnownServers } from "./known-servers";
import { getSettings } from "./server.test-support";
import { newServer } from "./server-directory";

it("every write to the known servers is announced with the server's name", () => {
  const known = createKnownServers();
  const changed: string[] = [];
  known.changed.on((name) => changed.push(name));
  const settings = getSettings({ name: "files" });
  const facts = { id: "srv_1", secrets: {}, originPath: null, enabled: true, problem: null };
  const server = known.put(newServer({ ...facts, settings }));
  expect(known.names()).toEqual(["files"]);
  known.change(server, { enabled: false });
  expect(known.names()).toEqual([]);
  known.remove("files");
  expect(known.settings("files")).toBeNull();
  expect(changed).toEqual(["files", "files", "files"]);
});
