import { expect, it, onTestFinished } from "vitest";
import { describeEventBus } from "./event-bus.test-support";
import { createEventBus } from "./live-event-bus";

describeEventBus(createEventBus);

it("one user's streams leave room for those of others", () => {
  const bus = createEventBus("life", { streams: 3, streamsOfReader: 2 });
  onTestFinished(() => bus.close());
  const open = (id: string) => bus.open(null, { write: () => true, end: () => undefined }, { id, role: "viewer" });
  const first = open("ada");
  expect([open("ada"), open("ada")]).toEqual([expect.anything(), null]);
  expect(open("bob")).not.toBeNull();
  first?.close();
  expect(open("ada")).not.toBeNull();
});
