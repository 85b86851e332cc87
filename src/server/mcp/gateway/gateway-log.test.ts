import { afterEach, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { begin, buildCall, post, startGateway, type TestGateway } from "./gateway.test-support";

const PLANTED = "sk-planted-0123456789";
let test: TestGateway;
afterEach(() => test.close());

it("the server's log has nothing that a client sent: arguments of unknown tools, answers to no question", async () => {
  const logger = recordingLogger();
  test = await startGateway({ ports: { logger }, engine: { logger } });
  const headers = await begin(test.url);
  const unknown = buildCall("not_there", 1, { arguments: { password: PLANTED } });
  expect((await (await post(test.url, unknown, headers)).json()).error.code).toBe(-32602);
  const answer = { jsonrpc: "2.0", id: 99, result: { action: "accept", content: { password: PLANTED } } };
  expect((await post(test.url, answer, headers)).status).toBe(202);
  await waitUntil(() => logger.lines.some(({ message }) => message === "Gateway: protocol error"), {
    what: "the log line",
  });
  expect(logger.lines.some(({ message }) => message === "Tool execution failed")).toBe(true);
  expect(JSON.stringify(logger.lines)).not.toContain(PLANTED);
});
