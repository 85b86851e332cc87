import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { MAX_SKILL_FILE_BYTES } from "../../../../lib/contract/skill-limits";
import {
  ADA,
  BEN,
  FakeSkillServer,
  type GatedServer,
  openGate,
  SERVER,
  toEntry,
} from "../../../features/content/gate/skill-gate.test-support";
import { type CreateDatabase, type StoreDatabase, useDatabase } from "./store-database.test-support";

const ROOT = "skill://refunds";
const SKILL = `${ROOT}/SKILL.md`;
const MORE = `${ROOT}/references/more.md`;
const toFiles = (version: string) => ({ "SKILL.md": `Steps ${version}`, "references/more.md": `More ${version}` });

export function describeSkillGate(createDatabase: CreateDatabase): void {
  describe("reviewed skills of a server", () => {
    const database = useDatabase(createDatabase);
    let server: FakeSkillServer;
    let opened: GatedServer;
    const start = async (): Promise<void> => {
      opened = await openGate(database().skillGates(), server);
    };
    beforeEach(async () => {
      server = new FakeSkillServer();
      server.publish(ROOT, "First", toFiles("v1"));
      await start();
      await opened.list();
    });
    const change = () => server.publish(ROOT, "Second", toFiles("v2"));
    const changes = () => opened.gate.changes(SERVER);

    it("of the first list are approved, and each later version and new skill waits", async () => {
      expect(changes()).toEqual([]);
      change();
      server.publish("skill://new", "New", { "SKILL.md": "New steps" });
      const listed = await opened.list();
      expect(JSON.stringify(listed)).toContain("First");
      expect(JSON.stringify(listed)).not.toMatch(/Second|New/);
      expect(changes()).toMatchObject([
        { name: "new", kind: "added", status: "open", files: [{ path: "SKILL.md", change: "added" }] },
        {
          name: "refunds",
          kind: "changed",
          description: "Second",
          files: [{ change: "changed" }, { change: "changed" }],
        },
      ]);
      expect(opened.gate.count(SERVER)).toBe(2);
      await expect(opened.read("skill://new/SKILL.md")).rejects.toThrow(
        /no approved skill has skill:\/\/new\/SKILL\.md/,
      );
      await expect(opened.get("skill://new/SKILL.md")).rejects.toMatchObject({ protocolError: { code: -32_602 } });
    });

    it("are read from the store while another version waits, recorded with the reason", async () => {
      change();
      const { text, lines } = await opened.read(MORE);
      expect(text).toContain("More v1");
      expect(lines.join()).toMatch(
        /Sent the stored file sha256:[\da-f]{64}, which is approved: the server lists another/,
      );
    });

    it("are read from the store where the server's file is another than listed, or is gone", async () => {
      server.files.set(SKILL, "Something else");
      const altered = await opened.read(SKILL);
      expect(altered.text).toContain("Steps v1");
      expect(altered.lines.join()).toMatch(/the server's file is not the approved one: it has 14 bytes instead of 8/);
      server.files.delete(MORE);
      const gone = await opened.read(MORE);
      expect(gone.text).toContain("More v1");
      expect(gone.lines.join()).toMatch(/the server did not answer with the file: Resource not found/);
    });

    it("reach clients without the other words of an answer", async () => {
      const { text, lines } = await opened.read(SKILL);
      expect(lines).toEqual([]);
      expect(JSON.parse(text)).toEqual({ contents: [{ uri: SKILL, mimeType: "text/markdown", text: "Steps v1" }] });
      server.files.set(`${ROOT}/data.bin`, Buffer.from([0, 255]));
      expect(JSON.stringify(await opened.resources())).not.toContain("unapproved");
    });

    it.each([
      ["another spelling of a URI", "SKILL://refunds/SKILL.md"],
      ["an encoded URI", "skill://refunds/%53KILL.md"],
      ["a path with dots", "skill://refunds/x/../SKILL.md"],
      ["a file that the approved version does not have", `${ROOT}/other.md`],
      ["a skill that no list has", "skill://hidden/SKILL.md"],
    ])("are not read under %s", async (_what, uri) => {
      server.files.set(uri, "Unapproved");
      await expect(opened.read(uri)).rejects.toThrow(/no approved skill has/);
    });

    it("of another scheme are known by their folder, in the list of resources too", async () => {
      server.publish("docs://acme/Guides/steps", "Third", { "SKILL.md": "Third steps" });
      server.files.set("docs://acme/guides/STEPS/SKILL.md", "Unapproved");
      server.files.set("docs://acme/readme.md", "A resource");
      server.resources.push({ uri: "docs://acme/readme.md", name: "readme" });
      await expect(opened.read("docs://acme/Guides/steps/SKILL.md")).rejects.toThrow(/no approved skill has/);
      await expect(opened.read("docs://acme/guides/STEPS/SKILL.md")).rejects.toThrow(/no approved skill has/);
      expect((await opened.read("docs://acme/readme.md")).text).toContain("A resource");
      expect((await opened.resources()).map(({ uri }) => uri)).toEqual([SKILL, "docs://acme/readme.md"]);
    });

    it.each([
      ["encoded dots", "docs://acme/other/..%2fguides/steps/SKILL.md"],
      ["an encoded name that is encoded again", "docs://acme/guides/%2573teps/SKILL.md"],
      ["doubled slashes", "docs://acme//guides//steps/SKILL.md"],
      ["backslashes", "docs://acme/guides\\\\steps\\\\SKILL.md"],
      ["a user name", "docs://someone@acme/guides/steps/SKILL.md"],
      ["a space before it", " docs://acme/guides/steps/SKILL.md"],
    ])("of another scheme are not read under %s", async (_what, uri) => {
      server.publish("docs://acme/guides/steps", "Third", { "SKILL.md": "Third steps" });
      server.files.set(uri, "Unapproved");
      await expect(opened.read(uri)).rejects.toThrow(/no approved skill has/);
    });

    it("give no words to templates of their files, and complete none", async () => {
      server.publish("docs://acme/guides/steps", "Third", { "SKILL.md": "Third steps" });
      server.templates = [
        { uriTemplate: "skill://refunds/{file}", name: "x", description: "Unapproved" },
        { uriTemplate: "docs://acme/guides/steps/{file}", name: "x", description: "Unapproved" },
        { uriTemplate: "docs://acme/{page}", name: "page" },
      ];
      expect(await opened.templates()).toEqual([{ uriTemplate: "docs://acme/{page}", name: "page" }]);
      server.files.set("skill://refunds/{file}", "Unapproved");
      expect(await opened.complete("skill://refunds/{file}")).toEqual({ completion: { values: [] } });
      server.files.set("docs://acme/{page}", "Pages");
      expect(JSON.stringify(await opened.complete("docs://acme/{page}"))).toContain("Pages");
    });

    it("that a server got while it was away wait, also where the read of one connects to it", async () => {
      server.withdraw(ROOT);
      await opened.list();
      await opened.decide("approve");
      server.publish("docs://acme/steps", "New", { "SKILL.md": "New steps" });
      server.isConnected = false;
      await start();
      await expect(opened.read("docs://acme/steps/SKILL.md")).rejects.toThrow(/no approved skill has/);
      expect(changes()).toMatchObject([{ name: "steps", status: "open" }]);
    });

    it("of a server that declares none yet begin with the first list that has some", async () => {
      await opened.setPolicy("off");
      server.declares = false;
      server.isConnected = false;
      await opened.setPolicy("review");
      await opened.list();
      server.declares = true;
      expect(await opened.list()).toHaveLength(1);
      expect(changes()).toEqual([]);
    });

    it("are listed once for the files that a client reads within a second, and again for a file that it reads again", async () => {
      const others = Array.from({ length: 20 }, (_, at) => `docs://readme/${at}`);
      for (const uri of others) server.files.set(uri, "A resource");
      opened.wait(5000);
      server.lists = 0;
      for (const uri of [SKILL, MORE, ...others]) await opened.read(uri);
      expect(server.lists).toBe(1);
      change();
      expect((await opened.read(SKILL)).lines.join()).toContain("the server lists another version");
      expect(server.lists).toBe(2);
      opened.wait(1000);
      await opened.read(MORE);
      expect(server.lists).toBe(3);
    });

    it("are compared again for the next read once the server says that its list changed", async () => {
      await opened.gate.followServer(SERVER);
      server.lists = 0;
      server.isDown = true;
      await opened.gate.followServer(SERVER);
      server.isDown = false;
      await opened.read(SKILL);
      expect(server.lists).toBe(2);
    });

    it("of personal connections are never those of another user, and stay for a user whose list had them", async () => {
      opened = await openGate(database().skillGates(), server, { credentials: "personal" });
      await opened.list();
      server.publish(ROOT, "Of Ben", toFiles("of ben"));
      await opened.gate.check(SERVER, "ben");
      expect(opened.gate.list(SERVER, "ben")).toEqual([]);
      expect(opened.gate.findFile(SERVER, "ben", SKILL)).toBeNull();
      change();
      expect(JSON.stringify(await opened.list())).toContain("First");
      server.publish(ROOT, "Third", toFiles("v3"));
      expect(JSON.stringify(await opened.list())).toContain("First");
      expect((await opened.read(SKILL)).text).toContain("Steps v1");
    });

    it("of many personal connections are listed again for the user whose list was dropped", async () => {
      opened = await openGate(database().skillGates(), server, { credentials: "personal" });
      await opened.list();
      for (let user = 0; user < 200; user += 1) await opened.gate.check(SERVER, `user ${user}`);
      expect(opened.gate.findFile(SERVER, "ada", SKILL)).toBeNull();
      expect((await opened.read(SKILL)).text).toContain("Steps v1");
    });

    it("never wait without the bytes of all their files, where another instance deletes them in between", async () => {
      const other = await openGate(database().skillGates(), server);
      change();
      await opened.list();
      await other.list();
      server.publish(ROOT, "Third", { "SKILL.md": "Steps v1", "references/more.md": "More v3" });
      // The first version's file is deleted once this one has found that it is stored.
      const ask = server.content.ask.bind(server.content);
      server.content.ask = async (...args) => {
        server.content.ask = ask;
        await opened.decide("approve");
        return await ask(...args);
      };
      await other.list();
      await other.list();
      const [third] = other.gate.changes(SERVER);
      const { after } = await other.gate.versions(SERVER, SKILL, third?.hash ?? "");
      expect(after?.files.map(({ text }) => text)).toEqual(["Steps v1", "More v3"]);
    });

    it("of a server that declares none any more stay as they were approved", async () => {
      server.declares = false;
      server.files.set(SKILL, "Unapproved");
      expect((await opened.read(SKILL)).text).toContain("Steps v1");
      expect(changes()).toMatchObject([{ kind: "removed", status: "open" }]);
    });

    it("are served in the version that a user approves, over a restart, and its files are announced", async () => {
      change();
      await opened.list();
      await database().restart();
      await start();
      expect(changes()).toMatchObject([{ name: "refunds", status: "open" }]);
      server.isDown = true;
      expect(await opened.decide("approve")).toEqual({ decided: [SKILL], missed: [] });
      expect(opened.served).toEqual([[SKILL, MORE]]);
      server.isDown = false;
      expect(JSON.stringify(await opened.list())).toContain("Second");
      expect((await opened.read(SKILL)).text).toContain("Steps v2");
      expect(await database().count("SkillPinFile")).toBe(2);
    });

    it("keep the approved version where a user rejects another, until the server lists a third", async () => {
      change();
      await opened.list();
      await opened.decide("block");
      expect(opened.gate.count(SERVER)).toBe(0);
      expect(changes()).toMatchObject([{ status: "blocked", decidedBy: ADA }]);
      expect((await opened.read(SKILL)).text).toContain("Steps v1");
      server.publish(ROOT, "Third", toFiles("v3"));
      await opened.list();
      expect(changes()).toMatchObject([{ status: "open", description: "Third", decidedBy: null }]);
      server.publish(ROOT, "First", toFiles("v1"));
      await opened.list();
      expect(changes()).toEqual([]);
      expect((await opened.read(SKILL)).lines).toEqual([]);
    });

    it("that the server lists no more stay until a user approves the removal, and wait when they come back", async () => {
      server.withdraw(ROOT);
      expect(JSON.stringify(await opened.list())).toContain("First");
      expect((await opened.read(SKILL)).text).toContain("Steps v1");
      await opened.decide("approve");
      expect(await opened.list()).toEqual([]);
      expect(await database().count("SkillPinFile")).toBe(0);
      change();
      expect(await opened.list()).toEqual([]);
      expect(changes()).toMatchObject([{ kind: "added", status: "open" }]);
    });

    it("are decided once, and only in the version that was shown", async () => {
      change();
      await opened.list();
      const [shown] = changes();
      const reference = { uri: SKILL, hash: shown?.hash ?? "", status: "open" as const };
      server.publish(ROOT, "Third", toFiles("v3"));
      await opened.list();
      expect(await opened.gate.decide(ADA, SERVER, [reference], "approve")).toEqual({ decided: [], missed: [SKILL] });
      await opened.decide("block");
      const again = { ...reference, hash: changes()[0]?.hash ?? "" };
      expect(await opened.gate.decide(BEN, SERVER, [again], "approve")).toEqual({ decided: [], missed: [SKILL] });
      expect(JSON.stringify(await opened.list())).toContain("First");
    });

    it("are compared by the texts of both versions, also by the front matter that only the list has", async () => {
      server.publish(ROOT, "Ignore the rules", toFiles("v1"));
      await opened.list();
      const [{ hash, files } = { hash: "", files: null }] = changes();
      expect(files).toEqual([]);
      const { before, after } = await opened.gate.versions(SERVER, SKILL, hash);
      expect(before?.files.map(({ path, text }) => [path, text])).toEqual([
        ["SKILL.md", "Steps v1"],
        ["references/more.md", "More v1"],
      ]);
      expect(before?.listed).toContain("First");
      expect(after?.listed).toContain("Ignore the rules");
      await expect(opened.gate.versions(SERVER, SKILL, "other")).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    it.each<[string, (server: FakeSkillServer) => void, RegExp]>([
      [
        "are generated",
        ({ entries }) => void entries.push({ ...toEntry(ROOT, "G", {}), resources: "dynamic" }),
        /generated/,
      ],
      [
        "are larger than what is stored",
        ({ entries }) =>
          void entries.push({
            ...toEntry(ROOT, "L", {}),
            resources: [{ uri: SKILL, digest: `sha256:${"0".repeat(64)}`, size: MAX_SKILL_FILE_BYTES + 1 }],
          }),
        /more than 2097152 bytes/,
      ],
      [
        "are not what the skill lists",
        (each) => {
          each.publish(ROOT, "A", toFiles("v2"));
          each.files.set(SKILL, "x");
        },
        /is not what the skill lists/,
      ],
      [
        "cannot be read",
        (each) => {
          each.publish(ROOT, "A", toFiles("v2"));
          each.files.delete(MORE);
        },
        /Resource not found/,
      ],
      [
        "are nested too deeply in the front matter",
        ({ entries }) => {
          let deep: unknown = "x";
          for (let level = 0; level < 50_000; level += 1) deep = [deep];
          const entry = toEntry(ROOT, "D", toFiles("v1"));
          entries.push({ ...entry, frontmatter: { ...(entry.frontmatter as object), deep } });
        },
        /nested deeper/,
      ],
    ])("whose files %s are withheld, and cannot be approved", async (_what, publish, reason) => {
      server.entries = [];
      publish(server);
      expect(JSON.stringify(await opened.list())).toContain("First");
      expect(changes()).toMatchObject([{ status: "withheld", reason: expect.stringMatching(reason) }]);
      expect(opened.gate.count(SERVER)).toBe(0);
      expect(await opened.decide("approve")).toEqual({ decided: [], missed: [] });
    });

    it("of personal connections are those that the user's own list has", async () => {
      opened = await openGate(database().skillGates(), server, { credentials: "personal" });
      expect(await opened.list()).toHaveLength(1);
      server.withdraw(ROOT);
      expect(await opened.list()).toEqual([]);
      expect(changes()).toEqual([]);
      await expect(opened.read(SKILL)).rejects.toThrow(/no approved skill has/);
    });

    it("of another instance are those that it decides, once this one follows", async () => {
      const other = await openGate(database().skillGates(), server);
      await other.list();
      change();
      await opened.list();
      expect(await other.gate.follow(SERVER)).toBeNull();
      expect(other.gate.count(SERVER)).toBe(1);
      await opened.decide("approve");
      expect(await other.gate.follow(SERVER)).toEqual([SKILL, MORE]);
      expect((await other.read(SKILL)).text).toContain("Steps v2");
      expect(await other.decide("block")).toEqual({ decided: [], missed: [] });
    });

    it("are used at once again where the policy ends, and a later policy begins with what is listed then", async () => {
      change();
      await opened.list();
      await opened.setPolicy("off");
      expect(changes()).toEqual([]);
      expect(JSON.stringify(await opened.list())).toContain("Second");
      expect(await database().count("SkillGate")).toBe(0);
      await opened.setPolicy("auto");
      expect(JSON.stringify(await opened.list())).toContain("Second");
      server.publish(ROOT, "Third", toFiles("v3"));
      expect(JSON.stringify(await opened.list())).not.toContain("Third");
    });

    it("move with the name of their server, and go with it", async () => {
      const { servers } = openServers(database());
      await servers.rename(SERVER, "papers");
      expect(await database().skillGates().list(SERVER)).toBeNull();
      expect(await database().skillGates().list("papers")).toHaveLength(1);
      await servers.forget("papers");
      for (const table of ["SkillGate", "SkillPin", "SkillPinFile"]) expect(await database().count(table)).toBe(0);
    });

    it("never reach a client in a text that was not approved, whatever the server does", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(STEPS, { minLength: 1, maxLength: 15 }), async (steps) => {
          await database().skillGates().clear(SERVER);
          await new Model(database().skillGates()).run(steps);
        }),
        { numRuns: 30 },
      );
    });
  });
}

const openServers = (database: StoreDatabase) => ({
  servers: database.servers({ secretBox: { seal: (plain) => plain, open: (sealed) => sealed } }),
});

const NAMES = ["alpha", "beta", "gamma"] as const;
/** Those of the first list. */
const FIRST = ["alpha", "beta"] as const;
type Step =
  | { kind: "publish" | "withdraw" | "revert" | "lie" | "lose" | "move"; name: (typeof NAMES)[number] }
  | { kind: "approve" | "block" | "restart" | "list" | "read" | "down" };
const STEPS: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      "publish" as const,
      "publish" as const,
      "withdraw" as const,
      "revert" as const,
      "lie" as const,
      "lose" as const,
      "move" as const,
    ),
    name: fc.constantFrom(...NAMES),
  }),
  fc.record({
    kind: fc.constantFrom(
      "approve" as const,
      "block" as const,
      "restart" as const,
      "list" as const,
      "read" as const,
      "read" as const,
      "down" as const,
    ),
  }),
);

/** A server, its users and a client, with the texts that were approved: each text of a version is a word of its own. */
class Model {
  readonly server = new FakeSkillServer();
  readonly approved = new Set<string>();
  #last = 0;
  #opened!: GatedServer;

  constructor(private readonly store: Parameters<typeof openGate>[0]) {}

  async run(steps: readonly Step[]): Promise<void> {
    for (const [at, name] of FIRST.entries()) {
      this.#publish(name, at + 1);
      this.#approve(name, at + 1);
    }
    this.#last = NAMES.length;
    this.#opened = await openGate(this.store, this.server);
    await this.#opened.list();
    for (const step of steps) {
      await this.#take(step);
      await this.#receive();
    }
  }

  #publish(name: string, version: number): void {
    const text = (what: string) => `word-${name}-${version}-${what}.`;
    this.server.publish(`skill://${name}`, text("d"), { "SKILL.md": text("s"), "more.md": text("m") });
  }

  #approve(name: string, version: number): void {
    for (const what of ["d", "s", "m"]) this.approved.add(`word-${name}-${version}-${what}.`);
  }

  async #take(step: Step): Promise<void> {
    const { server } = this;
    this.#last += 1;
    const word = `word-false-${this.#last}.`;
    switch (step.kind) {
      case "publish":
        return this.#publish(step.name, this.#last);
      case "revert":
        return this.#publish(step.name, 1 + NAMES.indexOf(step.name));
      case "withdraw":
        return server.withdraw(`skill://${step.name}`);
      case "lie":
        return void server.files.set(`skill://${step.name}/SKILL.md`, word);
      case "lose":
        return void server.files.delete(`skill://${step.name}/more.md`);
      case "move":
        server.onListed = () => {
          server.onListed = () => undefined;
          this.#publish(step.name, this.#last);
        };
        return;
      case "down":
        server.isDown = !server.isDown;
        return;
      case "restart":
        this.#opened = await openGate(this.store, server);
        return;
      case "list":
        return void (await this.#opened.list().catch(() => []));
      case "approve":
        // What the user sees is the description of each version, which names it.
        for (const { status, kind, description } of this.#opened.gate.changes(SERVER)) {
          const [, name = "", version = ""] = /^word-(\w+)-(\d+)-d\.$/.exec(description) ?? [];
          if (status !== "withheld" && kind !== "removed") this.#approve(name, Number(version));
        }
        return void (await this.#opened.decide("approve"));
      case "block":
        return void (await this.#opened.decide("block"));
    }
  }

  /** A client lists and reads whatever it knows of. */
  async #receive(): Promise<void> {
    const opened = this.#opened;
    const received: unknown[] = [await opened.list().catch(() => []), await opened.resources().catch(() => [])];
    for (const name of NAMES) {
      for (const file of ["SKILL.md", "more.md"]) {
        received.push(
          await opened.read(`skill://${name}/${file}`).then(
            ({ text }) => text,
            () => null,
          ),
        );
      }
    }
    const words = JSON.stringify(received).match(/word-[\w-]+\./g) ?? [];
    expect(words.filter((each) => !this.approved.has(each))).toEqual([]);
    expect(JSON.stringify(received)).not.toContain("unapproved words");
  }
}
