import { describe } from "vitest";
import { describeAnswers } from "./chat-client-suite/answers.test-support";
import { describeFaults } from "./chat-client-suite/faults.test-support";
import { describeLimits } from "./chat-client-suite/limits.test-support";
import { describeRequests } from "./chat-client-suite/requests.test-support";
import { MODES } from "./chat-client-suite/suite-bench.test-support";
import type { SuiteSubject } from "./chat-client-suite/suite-subject.test-support";

export type { SuiteSubject } from "./chat-client-suite/suite-subject.test-support";
export type { FakeVendor } from "./fake-vendors/vendor-server.test-support";

/** The guarantees of every chat client, streaming and not. */
export function describeChatClient(subject: SuiteSubject): void {
  describe.each(MODES)(`${subject.title}, %s`, (mode) => {
    describe("answers", () => describeAnswers(subject, mode));
    describe("faults", () => describeFaults(subject, mode));
    describe("limits", () => describeLimits(subject, mode));
    describe("requests", () => describeRequests(subject, mode));
  });
}
