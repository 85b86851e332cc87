import { describe, expect, it } from "vitest";
import { openInstances } from "../../platform/coordination/postgres/coordination-copies.test-support";
import { createSealedBulletin } from "../../platform/coordination/sealed-bulletin";
import { createSealedSingle, STEADY_TIMING } from "../../platform/coordination/single-copy.test-support";
import { HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createSignInLinks } from "./sign-in-links";

const ADA = { id: "ada", name: "Ada" };
const WANTED = { server: "own", user: "ada", toolName: "own__who" };

function openLinks(getPage: (id: string) => string | null = (id) => `https://t.test/${id}`) {
  const clock = { at: 1_000 };
  const { bulletin } = createSealedSingle("inst_a");
  const links = createSignInLinks({ now: () => clock.at, bulletin, getPage, validMs: 500 });
  return { links, clock };
}
const readId = (url = ""): string => url.slice("https://t.test/".length);

it("a link works until it expires, for its user alone", async () => {
  const { links, clock } = openLinks();
  const page = links.open(WANTED);
  const id = readId(page?.url);
  expect(await links.view(ADA, id)).toEqual({ server: "own", toolName: "own__who", isConnected: false });
  await expect(links.view({ id: "bob", name: "Bob" }, id)).rejects.toMatchObject({ code: "DENIED" });
  clock.at += 500;
  await expect(links.view(ADA, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("a link of a call that ended says so, and one that was used too", async () => {
  const { links } = openLinks();
  const first = links.open(WANTED);
  const second = links.open(WANTED);
  first?.close(false);
  second?.close(true);
  await expect(links.view(ADA, readId(first?.url))).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await links.view(ADA, readId(second?.url))).toMatchObject({ isConnected: true });
});

it("no link is made where the console has no address, and not more than 1,000 at a time", () => {
  expect(openLinks(() => null).links.open(WANTED)).toBeNull();
  const { links, clock } = openLinks();
  const made = Array.from({ length: 1001 }, () => links.open(WANTED));
  expect(made.filter((page) => page === null)).toHaveLength(1);
  clock.at += 500;
  expect(links.open(WANTED)).not.toBeNull();
});

describe.skipIf(!HAS_POSTGRES)("several instances of the server", { timeout: 60_000 }, () => {
  it("know each other's links, for the same user alone", async () => {
    const { copies } = await openInstances(2, STEADY_TIMING);
    const box = { seal: (text: string) => text, open: (text: string) => text };
    const [first, second] = copies.map(({ bulletin }) =>
      createSignInLinks({
        now: Date.now,
        bulletin: createSealedBulletin(bulletin, box),
        getPage: (id) => `https://t.test/${id}`,
      }),
    );
    const page = first?.open(WANTED);
    const id = readId(page?.url);
    expect(await second?.view(ADA, id)).toMatchObject({ server: "own", isConnected: false });
    await expect(second?.view({ id: "bob", name: "Bob" }, id)).rejects.toMatchObject({ code: "DENIED" });
    page?.close(true);
    expect(await second?.view(ADA, id)).toMatchObject({ isConnected: true });
    await expect(second?.view(ADA, "A".repeat(32))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
