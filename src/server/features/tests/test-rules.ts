import { byName, type MethodRules, readName } from "../../platform/shared/method-rules";
import type { TestService } from "./test-service";

const suite = byName("suite");
const run = byName("test run");

export function createTestRules(tests: TestService): MethodRules<TestService> {
  /** The suite without its tests, whose arguments may be secrets. */
  const toState = async (name: string) => {
    const { tests: all, ...settings } = await tests.get(name);
    return { ...settings, tests: all.map((test) => test.name) };
  };
  return {
    create: {
      permission: "edit",
      target: ([input]) => ({ kind: "suite", name: readName(input) }),
      after: (_, made) => toState(made.name),
    },
    update: {
      permission: "edit",
      target: ([name], made) => ({ kind: "suite", name: made?.name ?? name }),
      state: ([name], made) => toState(made?.name ?? name),
    },
    delete: { permission: "edit", target: suite, state: ([name]) => toState(name) },
    addTest: {
      permission: "edit",
      target: suite,
      after: ([, test]) => ({ test: readName(test) }),
    },
    import: {
      permission: "edit",
      target: () => ({ kind: "suite", name: "file" }),
      after: (_, outcome) => outcome,
    },
    run: { permission: "run", target: suite, after: (_, { id }) => ({ run: id }) },
    runInput: {
      permission: "run",
      target: ([input]) => ({ kind: "suite", name: readName(input) }),
      after: (_, { id }) => ({ run: id }),
    },
    startReplay: {
      permission: "run",
      target: (_, started) => ({ kind: "test run", name: started?.id ?? "" }),
      after: (_, { id, total }) => ({ run: id, calls: total }),
    },
    cancelRun: { permission: "run", target: run, after: (_, outcome) => outcome },
  };
}
