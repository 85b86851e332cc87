import { beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal, type Role } from "../../../lib/contract/access";
import { toViewQuery } from "../../../lib/contract/view-query";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import { createViewService, type ViewService } from "./view-service";

const NOW = Date.UTC(2026, 10, 26, 2);
const user = (id: string, role: Role): Principal => ({ ...LOCAL_PRINCIPAL, id, name: id, role });
const ada = user("ada", "operator");
const bob = user("bob", "editor");
const root = user("root", "admin");

describeOnBoth("saved views", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let views: ViewService;
  let changes = 0;
  let lastId = 0;
  beforeEach(() => {
    changes = 0;
    views = createViewService({
      store: database().views(),
      now: () => NOW,
      onChange: () => {
        changes += 1;
      },
      newId() {
        lastId += 1;
        return `view_${lastId}`;
      },
    });
  });
  const names = async () => (await views.list()).map(({ name }) => name);

  it("are listed for everyone by name, whatever its case, and keep only filters of the list", async () => {
    await views.create(ada, { name: "slow", query: "peek=exec_1&duration=from_10s&tool=a%252Cb,c&selected=x" });
    await views.create(bob, { name: "Failed today", query: "?status=failed&range=today" });
    expect(await names()).toEqual(["Failed today", "slow"]);
    const [failed, slow] = await views.list();
    expect(failed).toMatchObject({ query: "status=failed&range=today", owner: { id: "bob" }, createdAt: NOW });
    expect(slow?.query).toBe(toViewQuery("tool=a%252Cb,c&duration=from_10s"));
    expect(await views.readFilter("SLOW", "UTC")).toEqual({ tool: ["a,b", "c"], duration: ["from_10s"] });
    expect(changes).toBe(2);
  });

  it("are changed and deleted by who saved them and by admins alone, and a name is taken once", async () => {
    const { id } = await views.create(ada, { name: "mine", query: "" });
    await expect(views.update(bob, id, { name: "his", query: "" })).rejects.toMatchObject({ code: "DENIED" });
    await expect(views.delete(bob, id)).rejects.toMatchObject({ code: "DENIED" });
    await expect(views.create(bob, { name: "MINE", query: "" })).rejects.toMatchObject({ code: "CONFLICT" });
    const other = await views.create(bob, { name: "other", query: "" });
    await expect(views.update(bob, other.id, { name: "Mine", query: "" })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await views.update(ada, id, { name: "Mine", query: "pinned=true" })).toMatchObject({
      name: "Mine",
      query: "pinned=true",
      owner: { id: "ada" },
      updatedBy: "ada",
    });
    await views.delete(root, other.id);
    expect(await names()).toEqual(["Mine"]);
    await expect(views.delete(root, other.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("two that save one name at the same time: one of them succeeds", async () => {
    const saved = await Promise.allSettled([ada, bob].map((by) => views.create(by, { name: "same", query: "" })));
    expect(saved.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await names()).toEqual(["same"]);
  });

  it("reject values that the list does not know", async () => {
    for (const query of ["status=exploded", "range=3y", "duration=long", "since=x&range=custom"]) {
      await expect(views.create(ada, { name: "bad", query }), query).rejects.toMatchObject({ code: "INVALID" });
    }
    await expect(views.readFilter("absent", "UTC")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("count their time from the moment at which they are opened, days in the reader's zone", async () => {
    const read = async (query: string, zone: string) => {
      const { id } = await views.create(ada, { name: query + zone, query });
      return await views.readFilter(id, zone);
    };
    expect(await read("range=24h", "UTC")).toEqual({ since: NOW - 86_400_000 });
    expect(await read("range=today", "UTC")).toEqual({ since: Date.UTC(2026, 10, 26) });
    expect(await read("range=today", "America/New_York")).toEqual({ since: Date.UTC(2026, 10, 25, 5) });
    expect(await read("range=yesterday", "UTC")).toEqual({
      since: Date.UTC(2026, 10, 25),
      until: Date.UTC(2026, 10, 26) - 1,
    });
    expect(await read("range=custom&since=5&until=9", "UTC")).toEqual({ since: 5, until: 9 });
  });
});

describe("the address that a view keeps", () => {
  it("is the same text for the same filters in any order", () => {
    expect(toViewQuery("range=7d&peek=x&status=failed")).toBe(toViewQuery("?status=failed&range=7d&q="));
  });
});
