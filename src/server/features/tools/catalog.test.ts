import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { engineWith, mock } from "../../engine/executor/executor.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createTestToolService } from "./tool-service.test-support";

let scratch: ScratchDatabase;
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

it("IMPL-06 a search of the catalog ranks enabled tools as one in a toolset does, by names, tags and parts of words, and follows every change", async () => {
  const tools = createTestToolService(engineWith(), scratch.db);
  const create = (name: string, more: object = {}) =>
    tools.create(LOCAL_OWNER, JSON.stringify({ ...mock(name, 1), description: "Something else", ...more }));
  const find = (query: string, limit = 10) => tools.search(query, limit).map(({ name }) => name);
  await create("getWeatherReport");
  await create("umbrella", { description: "For days with bad weather" });
  await create("sunscreen", { tags: ["weather"] });
  expect(find("get weather")[0]).toBe("getWeatherReport");
  expect(find("weather").toSorted()).toEqual(["getWeatherReport", "sunscreen", "umbrella"]);
  expect(find("weathr report", 1)).toEqual(["getWeatherReport"]);
  await tools.setEnabled(LOCAL_OWNER, "umbrella", false);
  await tools.delete(LOCAL_OWNER, "sunscreen");
  await create("barometer", { description: "Weather in numbers" });
  expect(find("weather").toSorted()).toEqual(["barometer", "getWeatherReport"]);
  expect(find(" ").toSorted()).toEqual(["barometer", "getWeatherReport"]);
  expect(find("nothing_like_it")).toEqual([]);
});
