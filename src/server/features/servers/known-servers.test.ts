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

it("AGT-05 every write that gives a server another approval policy is announced, and no other", () => {
  const known = createKnownServers();
  let announced = 0;
  known.policyChanged.on(() => {
    announced += 1;
  });
  const facts = { id: "srv_1", secrets: {}, originPath: null, enabled: true, problem: null };
  const plain = getSettings({ name: "files" });
  const server = known.put(newServer({ ...facts, settings: plain }));
  known.change(server, { enabled: false });
  expect(announced).toBe(0);
  known.change(server, { settings: { ...plain, approval: "always" } });
  known.put(newServer({ ...facts, settings: { ...plain, approval: "never" } }));
  expect(announced).toBe(2);
  known.remove("files");
  expect(announced).toBe(3);
});
